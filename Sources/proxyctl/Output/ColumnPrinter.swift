internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Prints chosen columns of rows: as JSON, as a table on a terminal, otherwise separated by tabs.
final class ColumnPrinter: RowPrinting {
    private let columns: ColumnChoice
    private let report: Report
    /// Nil for JSON.
    private let printer: (any SQLPrinter)?
    private var hasBegun = false

    init(_ columns: ColumnChoice, asJSON: Bool, _ environment: Environment) {
        self.columns = columns
        report = Report(environment)
        let table: any SQLPrinter =
            environment.isTerminal
            ? SQLTablePrinter(environment) : SQLTSVPrinter(environment)
        printer = asJSON ? nil : table
    }

    func print(_ row: ExchangeRow) {
        guard let printer else { return report.json(columns.json(of: row)) }
        if !hasBegun { printer.begin(columns.names) }
        hasBegun = true
        printer.print(columns.values(of: row))
    }

    func finish() { if hasBegun { printer?.finish() } }
}
