internal import Capture
internal import ProxydExchangeContent
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydCaptureModel

/// Prints one JSON object per row, with members named after the columns.
final class SQLJSONPrinter: SQLPrinter {
    private let report: Report
    private var names: [String] = []

    init(_ environment: Environment) { report = Report(environment) }

    func begin(_ names: [String]) { self.names = names }

    func print(_ values: [SQLValue]) {
        report.json(.members(zip(names, values).map { ($0, SQLJSONPrinter.json($1)) }))
    }

    func finish() {}

    /// A BLOB becomes base64; JSON has no infinity and no NaN.
    static func json(_ value: SQLValue) -> JSONValue {
        switch value {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): number.isFinite ? .number(String(number)) : .null
        case .text(let text): .string(text)
        case .blob(let bytes): .string(Base64.text(bytes))
        }
    }
}
