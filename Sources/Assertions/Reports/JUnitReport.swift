/// A report as JUnit's XML: the file is a suite, each expectation a case.
public enum JUnitReport {
    /// The document.
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
