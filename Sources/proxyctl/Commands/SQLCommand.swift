internal import Capture
internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydTerminalText
internal import ArgumentParser

/// `proxyctl sql`: runs a read-only statement on the documented schema.
struct SQLCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "sql", abstract: "Run a read-only SQL statement.",
        discussion: """
            The view exchanges has the columns of list --json; the table parameter has decoded \
            parameters. Prints a table on a terminal, otherwise tab-separated values without a \
            heading. With --store, the statement is PostgreSQL's.
            """)

    /// The maximum memory of SQLite, in bytes: sorting a million exchanges takes a quarter of it.
    private static let memoryByteCount: Int64 = 1 << 30

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @Argument(help: ArgumentHelp("A single statement.", valueName: "statement"))
    var statement: String
    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        StoreLibrary.limitMemory(byteCount: SQLCommand.memoryByteCount)
        let environment = Environment.current
        let reader = try reading.location(global).sqlReader()
        let printer = printer(environment)
        try reader.sql(statement) { names in
            printer.begin(names)
        } onRow: { values in
            printer.print(values)
            return true
        }
        printer.finish()
    }

    private func printer(_ environment: Environment) -> any SQLPrinter {
        if json { return SQLJSONPrinter(environment) }
        if environment.isTerminal { return SQLTablePrinter(environment) }
        return SQLTSVPrinter(environment)
    }
}

/// Prints the rows of a statement in some format.
protocol SQLPrinter: AnyObject {
    /// Receives the column names, once, before any row.
    func begin(_ names: [String])
    func print(_ values: [SQLValue])
    /// Called after the last row.
    func finish()
}

extension SQLValue {
    /// The value for users; a NULL is empty.
    var shown: String {
        switch self {
        case .null: return ""
        case .integer(let number): return String(number)
        case .real(let number): return String(number)
        case .text(let text): return text
        case .blob(let bytes): return "x'\(SQLValue.hexadecimal(bytes))'"
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: bytes.count * 2) { room in
            for (index, byte) in bytes.enumerated() {
                room[index * 2] = digits[Int(byte >> 4)]
                room[index * 2 + 1] = digits[Int(byte & 0xF)]
            }
            return bytes.count * 2
        }
    }
}

/// An aligned table for a terminal, as wide as the first rows; later rows are streamed.
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

/// Tab-separated values without a heading; tabs and line breaks in values are visible escapes.
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
