internal import ProxydCurlCommand
public import ProxydHTTPModel

/// A request as code that sends it again.
public enum RequestSnippet: String, Sendable, CaseIterable {
    /// A curl command for a shell.
    case curl
    /// JavaScript that calls `fetch`.
    case fetch
    /// Python that uses the package requests.
    case python
    /// Swift that uses ClientLib.
    case swift

    /// Fields that the sending library sets itself.
    private static let framing: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "proxy-connection",
        "keep-alive", "te", "upgrade", "accept-encoding",
    ]
    /// Fields that browsers do not let scripts set (Fetch, "forbidden request-header").
    private static let forbiddenToScripts: Set<String> = [
        "cookie", "origin", "referer", "user-agent", "date", "dnt", "expect", "via",
    ]

    /// Returns the code, or nil if the request could not be parsed or is a tunnel.
    public func text(of request: Request) -> String? {
        guard let head = request.head, let url = request.url, !head.isClassicConnect else {
            return nil
        }
        let parts = SnippetParts(
            method: head.method.rawValue, url: "\(url)", fields: fields(head.fields),
            body: request.body.kept, notes: notes(request.body))
        switch self {
        case .curl:
            return CurlCommand(request, options: CurlOptions(redaction: nil)).map { command in
                CurlWriter.notSent(command) + command.text(.multiLine)
            }
        case .fetch: return FetchSnippet.text(parts)
        case .python: return PythonSnippet.text(parts)
        case .swift: return SwiftSnippet.text(parts)
        }
    }

    private func notes(_ body: Body) -> [String] {
        guard body.isTruncated else { return [] }
        return ["only \(body.kept.count) of \(body.byteCount) bytes of the body were captured"]
    }

    private func fields(_ fields: HeaderFields) -> [(name: String, value: String)] {
        fields.pairs.filter { field in
            let name = field.name.lowercased()
            if RequestSnippet.framing.contains(name) || name.hasPrefix(":") { return false }
            guard self == .fetch else { return true }
            return !RequestSnippet.forbiddenToScripts.contains(name)
                && !name.hasPrefix("sec-") && !name.hasPrefix("proxy-")
        }
    }
}

/// What a snippet consists of.
struct SnippetParts {
    let method: String
    let url: String
    let fields: [(name: String, value: String)]
    let body: [UInt8]
    /// Remarks for the reader, without comment signs or captured text.
    let notes: [String]

    /// The body as text, or nil if it is empty or not UTF-8.
    var text: String? { body.isEmpty ? nil : String(validating: body, as: UTF8.self) }
}
