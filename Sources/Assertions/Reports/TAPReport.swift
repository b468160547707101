internal import ProxydExchangeContent
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydTerminalText

/// A report as TAP 14 (testanything.org), with YAML below what does not hold.
public enum TAPReport {
    /// The text of the report.
    public static func bytes(_ report: AssertionReport) -> [UInt8] {
        var lines = ["TAP version 14", "1..\(report.results.count)"]
        for (index, result) in report.results.enumerated() {
            let word = result.holds ? "ok" : "not ok"
            lines.append("\(word) \(index + 1) - \(escaped(result.name))")
            if !result.holds { lines += yaml(result, report.file) }
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static func yaml(_ result: AssertionResult, _ file: String) -> [String] {
        var lines = ["  ---"]
        let messages = result.problems.map(\.message).joined(separator: "; ")
        lines.append("  message: \(json(.string(messages)))")
        lines.append("  severity: fail")
        if let line = result.line {
            lines += ["  at:", "    file: \(json(.string(file)))", "    line: \(line)"]
        }
        lines.append("  problems:")
        for problem in result.problems {
            lines.append("    - \(json(AssertionJSON.value(problem)))")
        }
        return lines + ["  ..."]
    }

    /// JSON is YAML, and has no characters that a terminal or a line would mind.
    private static func json(_ value: JSONValue) -> String {
        var bytes: [UInt8] = []
        JSONText.write(value, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escaped(_ text: String) -> String {
        TerminalText.sanitize(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }
}
