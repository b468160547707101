internal import Capture
internal import Glibc
internal import HTTPModel

/// What an export did.
struct ExportReport {
    /// Exchanges written.
    var exchangeCount = 0
    /// Parts that redaction left out.
    var leftOutCount = 0
    /// Exchanges that could not become a command.
    var withoutCommandCount = 0
}

/// Writes the exchanges that pass a filter, one after the other: never more than one of them, its
/// bodies included, is in memory.
struct ExportRun {
    let reader: StoreReader
    let filter: Filter
    let sink: any ByteSink
    let redactor: ExchangeRedactor?

    /// Writes them all. Nothing is written where nothing passes a filter.
    func write(
        _ format: consuming some ExchangeWriting, _ isInterrupted: () -> Bool
    ) throws -> ExportReport {
        var format = format
        var report = ExportReport()
        var progress = ProgressBar("exporting")
        defer { progress.finish() }
        let last = try StoreAccess.attempt { () throws(StoreError) in
            try reader.lastExchangeID()?.rawValue ?? 0
        }
        var first: Int64?
        var isStopped = false
        try StoreAccess.attempt { () throws(StoreError) in
            try reader.forEachRow(matching: filter, .oldest) { (row) throws(StoreError) in
                // What is recorded while we write belongs to the next export.
                guard row.id.rawValue <= last else { return false }
                guard let captured = try reader.captured(row) else { return true }
                if report.exchangeCount == 0 { sink.write(format.beginning()) }
                let redacted = redactor?.redacted(captured) ?? captured
                report.leftOutCount += redacted.leftOut.count
                sink.write(format.octets(of: redacted))
                report.exchangeCount += 1
                let start = first ?? row.id.rawValue
                first = start
                let done = Double(row.id.rawValue - start + 1) / Double(last - start + 1)
                progress.show(
                    done, Quantity.count(report.exchangeCount, "exchange"), now: WallClock.now())
                isStopped = sink.failure != nil || isInterrupted()
                return !isStopped
            }
        }
        if isInterrupted() { throw CommandFailure("interrupted: nothing was kept") }
        if isStopped { return report }
        if report.exchangeCount == 0, filter.text.isEmpty { sink.write(format.beginning()) }
        if report.exchangeCount > 0 || filter.text.isEmpty { sink.write(format.ending()) }
        report.withoutCommandCount = (format as? CurlWriter)?.withoutCommandCount ?? 0
        return report
    }
}
