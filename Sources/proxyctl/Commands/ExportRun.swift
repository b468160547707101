internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydInterchange
internal import ProxydProcessSetup
internal import Glibc
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// The result of an export.
struct ExportReport {
    /// The number of exchanges written.
    var exchangeCount = 0
    /// The number of parts that redaction omitted.
    var leftOutCount = 0
    /// The number of exchanges that could not become a command.
    var withoutCommandCount = 0
}

/// Writes the exchanges that match a filter, or chosen ones, one after another: never more than one
/// of them, including its bodies, is in memory.
struct ExportRun {
    let reader: any ExchangeReading
    let filter: Filter
    /// Exchanges to write in this order, instead of those that match the filter.
    var ids: [ExchangeID]?
    let sink: any ByteSink
    let redactor: ExchangeRedactor?
    /// The OpenAPI description to merge into; nil for none.
    var existing: JSONValue?

    /// Writes all exchanges in a format.
    func write(
        _ format: ExportCommand.Format, _ isInterrupted: () -> Bool,
        progress: (_ fraction: Double, _ exchangeCount: Int) -> Void
    ) throws -> ExportReport {
        switch format {
        case .har:
            let writer = HARWriter(
                version: ProgramVersion.number,
                comment: redactor == nil ? nil : "credentials were removed")
            return try write(writer, isInterrupted, progress)
        case .jsonl: return try write(JSONLinesWriter(), isInterrupted, progress)
        case .curl: return try write(CurlWriter(), isInterrupted, progress)
        case .grpcurl:
            return try write(GRPCurlWriter(reader: reader), isInterrupted, progress)
        case .openapi:
            return try write(OpenAPIWriter(existing: existing), isInterrupted, progress)
        case .postman: return try write(PostmanWriter(), isInterrupted, progress)
        case .k6: return try write(K6Writer(), isInterrupted, progress)
        }
    }

    /// Writes all exchanges. Nothing is written if none match the filter.
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
        if isInterrupted() { throw CommandFailure("interrupted: no file was written") }
        if isStopped { return report }
        if report.exchangeCount == 0, filter.text.isEmpty { sink.write(format.beginning()) }
        if report.exchangeCount > 0 || filter.text.isEmpty { sink.write(format.ending()) }
        report.withoutCommandCount = format.withoutCommandCount
        return report
    }

    /// Writes the messages of an exchange in groups; returns how many were omitted.
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
            sink.write(format.bytes(of: messages, in: captured))
            return sink.failure == nil && !isInterrupted()
        }
        return leftOutCount
    }

    /// The maximum number of bytes read of a message; no stored message is longer.
    private static let messageByteCountMax = 64 << 20

    /// Reads the rows to write, each with the share of the whole that is done after it, until the
    /// closure returns false.
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
            let end = try ListEnd(of: reader)
            var first: Int64?
            try reader.forEachRow(matching: filter, .oldest) { (row) throws(StoreError) in
                // Exchanges recorded during the export are not included.
                guard end.includes(row) else { return false }
                first = first ?? row.place
                return try body(row, end.share(through: row, from: first ?? row.place))
            }
        }
    }
}
