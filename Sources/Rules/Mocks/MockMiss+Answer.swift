internal import ProxydHTTPModel

extension MockMiss {
    /// The answer for a request that no capture answers: names the nearest capture and the
    /// differences, as text and in the field `Proxyd-Mock`.
    /// - Parameters:
    ///   - status: From 200 to 599.
    ///   - captured: The request of the nearest capture; nil if it is not available.
    public func answer(
        status: Int, to request: MockRequest, nearest captured: MockRequest?,
        _ matching: MockMatching
    ) -> RuleAnswer {
        var lines = ["proxyd: no capture answers \(MockText.line(request))"]
        switch self {
        case .nothingAlike: lines.append("No capture has this method, host and path.")
        case .usedUp(let last):
            lines.append("All captures of it have been served; the last was \(last).")
        case .differs(let parts, let nearest):
            let line = captured.map { ": " + MockText.line($0) } ?? ""
            lines.append("The nearest is \(nearest)\(line)")
            lines.append("It differs in \(parts.joined(separator: ", ")).")
            if let captured {
                lines += MockDifference.lines(of: request, from: captured, matching)
                    .map { "  " + $0 }
            }
        }
        return MockMiss.answer(status: status, fieldValue, lines)
    }

    /// The answer if captures cannot answer at all: for tunnels, switches of protocols, and if the
    /// captures cannot be read.
    /// - Parameter differs: A word for the field `Proxyd-Mock`.
    public static func answer(status: Int, differs: String, _ text: String) -> RuleAnswer {
        answer(status: status, "unmatched; differs=\(differs)", ["proxyd: \(text)"])
    }

    private static func answer(status: Int, _ value: String, _ lines: [String]) -> RuleAnswer {
        let fields = HeaderFields([
            ("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"), ("Proxyd-Mock", value),
        ])
        let text = lines.joined(separator: "\n") + "\n"
        return RuleAnswer(status: status, fields: fields, body: Array(text.utf8))
    }
}
