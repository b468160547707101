internal import ProxydPresentation
internal import Capture
internal import ProxydCaptureModel

/// An aligned table for a terminal. Its widths are those of the first rows; later rows are
/// streamed.
final class SQLTablePrinter: SQLPrinter {
    private static let measuredRowCount = 500
    /// What a terminal shows of a value, in bytes: lines are cut at its width.
    private static let shownByteCountMax = 4 << 10
    private let report: Report
    private var columns: [TextTable.Column] = []
    private var isNumeric: [Bool] = []
    private var waiting: [[StyledText]] = []
    private var widths: [Int]?

    init(_ environment: Environment) { report = Report(environment) }

    func begin(_ names: [String]) {
        columns = names.map { TextTable.Column(title: $0) }
        isNumeric = names.map { _ in true }
    }

    func print(_ values: [SQLValue]) {
        let cells = values.map { StyledText(SQLTablePrinter.start($0).shown) }
        if let widths { return report.line(TextTable.line(cells, columns, widths)) }
        for (index, value) in values.enumerated() where !value.isNumberOrNull {
            isNumeric[index] = false
        }
        waiting.append(cells)
        if waiting.count == SQLTablePrinter.measuredRowCount { release() }
    }

    /// The part of a value that may be seen.
    private static func start(_ value: SQLValue) -> SQLValue {
        switch value {
        case .text(let text) where text.utf8.count > shownByteCountMax:
            .text(String(decoding: text.utf8.prefix(shownByteCountMax), as: UTF8.self))
        case .blob(let bytes): .blob(Array(bytes.prefix(shownByteCountMax)))
        default: value
        }
    }

    func finish() { if widths == nil { release() } }

    /// Prints the heading and the rows that were collected to measure the columns.
    private func release() {
        for index in columns.indices where isNumeric[index] && !waiting.isEmpty {
            columns[index].alignment = .right
        }
        let heading = columns.map { StyledText($0.title, .heading) }
        let widths = TextTable.widths(of: [heading] + waiting, columns)
        self.widths = widths
        for row in [heading] + waiting { report.line(TextTable.line(row, columns, widths)) }
        waiting = []
    }
}

extension SQLValue {
    /// Whether the value is aligned to the right.
    fileprivate var isNumberOrNull: Bool {
        switch self {
        case .null, .integer, .real: true
        case .text, .blob: false
        }
    }
}
