internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydInterchange
internal import ProxydProcessSetup
internal import Glibc
internal import ProxydHTTPModel

/// What an export did.
struct ExportReport {
    /// Exchanges written.
    var exchangeCount = 0
    /// Parts that redaction left out.
    var leftOutCount = 0
    /// Exchanges that could not become a command.
    var withoutCommandCount = 0
}

/// Writes the exchanges that pass a filter, or some that were chosen, one after the other: never
/// more than one of them, its bodies included, is in memory.
struct ExportRun {
    let reader: any ExchangeReading
    let filter: Filter
    /// These exchanges, in this order, instead of those that pass the filter.
    var ids: [ExchangeID]?
    let sink: any ByteSink
    let redactor: ExchangeRedactor?

    /// Writes them all in a format.
    func write(
        _ format: ExportCommand.Format, _ isInterrupted: () -> Bool,
        progress: (_ fraction: Double, _ exchangeCount: Int) -> Void
    ) throws -> ExportReport {
        switch format {
        case .har:
            let writer = HARWriter(
                version: ProgramVersion.number,
                comment: redactor == nil ? nil : "credentials were taken out")
            return try write(writer, isInterrupted, progress)
        case .jsonl: return try write(JSONLinesWriter(), isInterrupted, progress)
        case .curl: return try write(CurlWriter(), isInterrupted, progress)
        case .grpcurl:
            return try write(GRPCurlWriter(reader: reader), isInterrupted, progress)
        }
    }

    /// Writes them all. Nothing is written where nothing passes a filter.
    private func write(
        _ format: consuming some ExchangeWriting, _ isInterrupted: () -> Bool,
        _ progress: (_ fraction: Double, _ exchangeCount: Int) -> Void
    ) throws -> ExportReport {
        var format = format
        var report = ExportReport()
        var isStopped = false
        try forEachRow { (row, fraction) throws(StoreError) in
            guard let captured = try reader.captured(row) else { return true }
            if report.exchangeCount == 0 { sink.write(format.beginning()) }
            let redacted = redactor?.redacted(captured) ?? captured
            report.leftOutCount += redacted.leftOut.count
            sink.write(format.opening(of: redacted))
            if format.holdsMessages(of: redacted) {
                report.leftOutCount += try writeMessages(
                    of: redacted, from: captured, &format, isInterrupted)
            }
            sink.write(format.closing())
            report.exchangeCount += 1
            progress(fraction, report.exchangeCount)
            isStopped = sink.failure != nil || isInterrupted()
            return !isStopped
        }
        if isInterrupted() { throw CommandFailure("interrupted: nothing was kept") }
        if isStopped { return report }
        if report.exchangeCount == 0, filter.text.isEmpty { sink.write(format.beginning()) }
        if report.exchangeCount > 0 || filter.text.isEmpty { sink.write(format.ending()) }
        report.withoutCommandCount =
            (format as? CurlWriter)?.withoutCommandCount
            ?? (format as? GRPCurlWriter)?.withoutCommandCount ?? 0
        return report
    }

    /// Writes the messages of an exchange, some at a time; returns how many were left out.
    private func writeMessages(
        of captured: CapturedExchange, from original: CapturedExchange,
        _ format: inout some ExchangeWriting, _ isInterrupted: () -> Bool
    ) throws(StoreError) -> Int {
        var leftOutCount = 0
        try reader.forEachMessagePage(
            of: captured.row.id, byteCountMax: ExportRun.messageByteCountMax
        ) { (page) throws(StoreError) in
            let messages =
                redactor?.redacted(page, of: captured, from: original)
                ?? page.map { ExportedMessage($0) }
            leftOutCount += messages.count { $0.isLeftOut }
            sink.write(format.octets(of: messages, in: captured))
            return sink.failure == nil && !isInterrupted()
        }
        return leftOutCount
    }

    /// As much as is ever kept of a message, in bytes.
    private static let messageByteCountMax = 64 << 20

    /// Reads the rows to write, each with how much of the whole is done with it, until the body
    /// says false.
    private func forEachRow(
        _ body: (ExchangeRow, Double) throws(StoreError) -> Bool
    ) throws {
        try StoreAccess.attempt { () throws(StoreError) in
            if let ids {
                for (index, id) in ids.enumerated() {
                    guard let row = try reader.row(id) else { continue }
                    guard try body(row, Double(index + 1) / Double(ids.count)) else { return }
                }
                return
            }
            let last = try reader.lastExchangeID()?.rawValue ?? 0
            var first: Double?
            try reader.forEachRow(matching: filter, .oldest) { (row) throws(StoreError) in
                // What is recorded while we write belongs to the next export.
                guard row.id.rawValue <= last else { return false }
                // As such they have room for the distance of any two.
                let place = Double(row.id.rawValue)
                let start = first ?? place
                first = start
                return try body(row, (place - start + 1) / (Double(last) - start + 1))
            }
        }
    }
}
