internal import ProxydCaptureModel
internal import ProxydExchangeContent
public import ProxydHTTPModel
public import ProxydParameterCoding
package import ProxydPresentation
internal import ProxydTerminalText

/// All results of a run, for the formats of reports.
public struct AssertionReport: Sendable {
    public let file: String
    /// In the order in which they are shown.
    public let results: [AssertionResult]

    public init(file: String, results: [AssertionResult]) {
        self.file = file
        self.results = results
    }

    public var holds: Bool { results.allSatisfy(\.holds) }

    public var failureCount: Int { results.count { !$0.holds } }

    /// The exchanges that show what is wrong, each once, in the order of the store.
    public var failedExchanges: [ExchangeID] {
        var places: [ExchangeID: Int64] = [:]
        for row in results.flatMap(\.problems).flatMap(\.rows) { places[row.id] = row.position }
        return places.sorted { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
            .map(\.key)
    }
}

extension AssertionProblem {
    var namedExchanges: [String] { rows.prefix(AssertionProblem.namedCountMax).map(\.idText) }

    var plainLines: [String] {
        var lines = [message]
        if rowCount > 0 {
            let rest = rowCount - namedExchanges.count
            let more = rest > 0 ? " and \(rest) more" : ""
            lines.append("exchanges: \(namedExchanges.joined(separator: ", "))\(more)")
        }
        return lines + details
    }
}

package enum AssertionText {
    package static func lines(_ report: AssertionReport) -> [StyledText] {
        var lines = report.results.flatMap(lines)
        let count = report.results.count
        lines.append(
            report.holds
                ? StyledText("all \(count) hold", .good)
                : StyledText("\(report.failureCount) of \(count) failed", .bad))
        return lines
    }

    private static func lines(of result: AssertionResult) -> [StyledText] {
        var line = result.holds ? StyledText("ok    ", .good) : StyledText("FAIL  ", .bad)
        line.append(result.name)
        if result.kind == .expect || result.kind == .golden {
            line.append("  \(Quantity.count(result.matchedCount, "exchange"))", .dim)
        }
        if let remark = result.remark { line.append("  \(remark)", .notice) }
        return [line] + result.problems.flatMap(lines)
    }

    private static func lines(of problem: AssertionProblem) -> [StyledText] {
        let count = problem.rowCount
        let named = problem.rows.prefix(AssertionProblem.namedCountMax)
        var lines = [StyledText("      \(problem.message)")]
        lines += named.map { ExchangeRedactor().redacted($0) }.map { row in
            let status = row.status.map(String.init) ?? row.state.rawValue
            let duration = row.durationNs.map { "  \(Quantity.duration($0))" } ?? ""
            return StyledText("        \(row.idText)  ", .dim)
                + StyledText("\(status)  \(row.method ?? "-") \(row.url ?? "-")\(duration)")
        }
        if count > named.count {
            lines.append(StyledText("        and \(count - named.count) more", .dim))
        }
        return lines + problem.details.map { StyledText("        \($0)") }
    }
}

public enum AssertionJSON {
    public static func value(_ report: AssertionReport) -> JSONValue {
        .members([
            ("file", .string(report.file)), ("holds", .bool(report.holds)),
            ("failures", .integer(report.failureCount)),
            ("results", .array(report.results.map(value))),
        ])
    }

    private static func value(_ result: AssertionResult) -> JSONValue {
        .members([
            ("kind", .string(result.kind.rawValue)), ("name", .string(result.name)),
            ("line", .integer(result.line)), ("holds", .bool(result.holds)),
            ("matched", .integer(result.matchedCount)),
            ("slowest_ms", .milliseconds(result.slowestNs)), ("remark", .text(result.remark)),
            ("problems", .array(result.problems.map(value))),
        ])
    }

    static func value(_ problem: AssertionProblem) -> JSONValue {
        .members([
            ("message", .string(problem.message)), ("part", .text(problem.part)),
            ("exchanges", .strings(problem.namedExchanges)),
            ("exchange_count", .integer(problem.rowCount)),
            ("details", .strings(problem.details)),
        ])
    }
}

/// A report as JUnit's XML: the file is a suite, each expectation a case.
public enum JUnitReport {
    public static func bytes(_ report: AssertionReport) -> [UInt8] {
        let time = seconds(report.results.map(\.slowestNs).max() ?? 0)
        let counts =
            "tests=\"\(report.results.count)\" failures=\"\(report.failureCount)\" "
            + "errors=\"0\" skipped=\"0\" time=\"\(time)\""
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites \(counts)>",
            "  <testsuite name=\"\(escaped(report.file))\" \(counts)>",
        ]
        for result in report.results { lines += self.lines(of: result, report.file) }
        lines += ["  </testsuite>", "</testsuites>", ""]
        return Array(lines.joined(separator: "\n").utf8)
    }

    private static func lines(of result: AssertionResult, _ file: String) -> [String] {
        var start =
            "    <testcase name=\"\(escaped(result.name))\" classname=\"\(escaped(file))\" "
            + "time=\"\(seconds(result.slowestNs))\""
        if let line = result.line { start += " file=\"\(escaped(file))\" line=\"\(line)\"" }
        guard let first = result.problems.first else { return [start + "/>"] }
        let text = result.problems.flatMap(\.plainLines).joined(separator: "\n")
        return [
            start + ">",
            "      <failure type=\"\(result.kind.rawValue)\" message=\"\(escaped(first.message))\">"
                + "\(escaped(text, keepsLines: true))</failure>",
            "    </testcase>",
        ]
    }

    private static func seconds(_ nanoseconds: Int64) -> String {
        let milliseconds = max(0, nanoseconds) / 1_000_000
        let fraction = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000)."
            + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// Text for XML 1.0, which cannot contain most control characters in any form.
    private static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += keepsLines ? "\n" : "&#10;"
            case "\t": result += "&#9;"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                result += "\u{FFFD}"
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// A report as TAP 14 (testanything.org), with YAML below what does not hold.
public enum TAPReport {
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

    /// JSON is YAML, and contains no characters that would disturb a terminal or break a line.
    private static func json(_ value: JSONValue) -> String {
        var bytes: [UInt8] = []
        JSONText.write(value, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escaped(_ text: String) -> String {
        TerminalText.sanitize(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }
}
