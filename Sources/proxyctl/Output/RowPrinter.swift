internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydSystem

/// Prints rows of exchanges, one by one.
protocol RowPrinting: AnyObject {
    func print(_ row: ExchangeRow)
    /// Called after the last row.
    func finish()
}

/// Prints rows of exchanges, as JSON or as lines below a heading.
final class RowPrinter: RowPrinting {
    private let report: Report
    private let asJSON: Bool
    private let layout: ExchangeLine
    private var mustPrintHeading: Bool

    /// Creates a printer whose columns fit the store's newest row.
    init(_ reader: any ExchangeReading, asJSON: Bool, _ environment: Environment) throws {
        self.asJSON = asJSON
        report = Report(environment)
        let newest = try StoreAccess.attempt { () throws(StoreError) in
            try reader.lastExchangeID().map { (id) throws(StoreError) in try reader.name(of: id) }
        }
        // Leaves room for rows that are added while a list is printed or followed.
        let widest = Int64(newest ?? "0").map {
            String($0.addingReportingOverflow(1_000).partialValue)
        }
        layout = ExchangeLine(
            now: environment.isTerminal ? SystemClock.wallNow() : nil,
            idWidth: (widest ?? newest ?? "").count)
        mustPrintHeading = environment.isTerminal && !asJSON
    }

    func print(_ row: ExchangeRow) {
        if asJSON { return report.json(row.json) }
        if mustPrintHeading {
            mustPrintHeading = false
            report.line(layout.heading)
        }
        report.line(layout.line(row))
    }

    func finish() {}

    /// Flushes the output.
    func flush() { report.flush() }
}
