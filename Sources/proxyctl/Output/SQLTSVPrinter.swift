internal import Capture
internal import ProxydTerminalText
internal import ProxydCaptureModel

/// Tab-separated values without a heading, for other programs; tabs and line breaks inside values
/// are visible escapes.
final class SQLTSVPrinter: SQLPrinter {
    private let report: Report

    init(_ environment: Environment) { report = Report(environment) }

    func begin(_ names: [String]) {}

    func print(_ values: [SQLValue]) {
        let line = values.map(SQLTSVPrinter.text).joined(separator: "\t")
        report.exactly(Array((line + "\n").utf8))
    }

    func finish() {}

    private static func text(_ value: SQLValue) -> String {
        guard case .text(let text) = value else { return value.shown }
        return TerminalText.sanitize(text)
    }
}
