internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydExchangeContent

/// Removes credentials from a record, by the rules of every export.
struct RecordRedactor {
    private let redactor = ExchangeRedactor()

    /// An exchange before and after.
    struct Redacted {
        let record: StoredRecord
        let original: CapturedExchange
        let result: CapturedExchange
    }

    func redacted(_ record: StoredRecord) -> Redacted {
        var record = record
        removeLongBodies(&record)
        let exchange = record.exchange
        let isMalformed = exchange.request.head == nil
        let original = CapturedExchange(
            row: row(record), exchange: exchange,
            malformedHead: isMalformed ? StoredHeads(record.heads).requestBytes : nil)
        let result = redactor.redacted(original)
        apply(result, from: exchange, to: &record)
        return Redacted(record: record, original: original, result: result)
    }

    func redacted(_ page: [MessageRow], of exchange: Redacted) -> [MessageRow] {
        redactor.redacted(page, of: exchange.result, from: exchange.original).map(\.row)
    }

    /// Removes credentials from notes and tags that users added later.
    func redacted(_ annotations: Exchange.Annotations) -> Exchange.Annotations {
        var row = ExchangeRow(id: ExchangeID(rawValue: 0), startedAtNs: 0, state: .complete)
        row.tags = annotations.tags
        row.note = annotations.note
        row = redactor.redacted(row)
        return Exchange.Annotations(note: row.note, tags: row.tags, isPinned: annotations.isPinned)
    }

    /// The texts of a row that may contain credentials.
    private func row(_ record: StoredRecord) -> ExchangeRow {
        var row = ExchangeRow(
            id: ExchangeID(rawValue: record.id), startedAtNs: record.startedNs, state: record.state)
        row.path = record.values.text(StoredRecord.Column.path.rawValue)
        row.query = record.values.text(StoredRecord.Column.query.rawValue)
        row.reason = record.values.text(StoredRecord.Column.reason.rawValue)
        row.requestContentType = record.values.text(StoredRecord.Column.requestType.rawValue)
        row.responseContentType = record.values.text(StoredRecord.Column.responseType.rawValue)
        return row
    }

    /// Removes a body that is too long to be searched, as every body that cannot be.
    private func removeLongBodies(_ record: inout StoredRecord) {
        if record.requestBody == nil {
            record.requestBody = []
            record[.requestKeptBytes] = .integer(0)
            record.parameters.removeAll { $0.parameter.source != .query }
        }
        if record.responseBody == nil { removeResponseBody(&record) }
    }

    private func removeResponseBody(_ record: inout StoredRecord) {
        record.responseBody = []
        record[.responseKeptBytes] = .integer(0)
    }

    private func apply(
        _ result: CapturedExchange, from original: Exchange, to record: inout StoredRecord
    ) {
        let exchange = result.exchange
        record[.path] = SQLValue(result.row.path)
        record[.query] = SQLValue(result.row.query)
        record[.reason] = SQLValue(result.row.reason)
        record[.requestType] = SQLValue(result.row.requestContentType)
        record[.responseType] = SQLValue(result.row.responseContentType)
        if let failure = exchange.failure { record[.error] = .text(failure.message) }
        let isSentOnly = StoredHeads(record.heads).responseHead == nil
        record.heads = heads(result, isSentOnly: isSentOnly)
        if exchange.request.body != original.request.body {
            record.requestBody = exchange.request.body.kept
            record[.requestKeptBytes] = .integer(Int64(exchange.request.body.kept.count))
            record[.requestBytes] = .integer(exchange.request.body.byteCount)
        }
        record.requestBodySent = exchange.request.sentBody?.kept
        applyResponse(exchange.response, original.response, isSentOnly: isSentOnly, to: &record)
        record.responseFault = exchange.responseFault
        record.appliedRules = exchange.appliedRules
        record.annotations = exchange.annotations
        redactParameters(&record, exchange, original)
    }

    /// - Parameter isSentOnly: Whether no response of a server is stored, but at most one that a
    ///   rule made: only what was sent is then its body.
    private func applyResponse(
        _ response: Response?, _ original: Response?, isSentOnly: Bool,
        to record: inout StoredRecord
    ) {
        guard let response else {
            // The contents of a body without a head are unknown.
            record.responseBodySent = nil
            return removeResponseBody(&record)
        }
        if isSentOnly, record.responseBodySent != nil {
            record.responseBodySent = response.body.kept
            return removeResponseBody(&record)
        }
        record.responseBodySent = response.sentBody?.kept
        guard response.body != original?.body else { return }
        record.responseBody = response.body.kept
        record[.responseKeptBytes] = .integer(Int64(response.body.kept.count))
        // The other column has the size of the body that the client received instead.
        let isReplaced = record[.receivedBodyBytes] != .null
        record[isReplaced ? .receivedBodyBytes : .responseBytes] = .integer(response.body.byteCount)
        if isReplaced, let sent = response.sentBody {
            record[.responseBytes] = .integer(sent.byteCount)
        }
    }

    /// Decodes parameters again where the text they come from has changed.
    private func redactParameters(
        _ record: inout StoredRecord, _ exchange: Exchange, _ original: Exchange
    ) {
        guard !record.parameters.isEmpty else { return }
        let nothing: [UInt8] = []
        if exchange.request.url?.query != original.request.url?.query {
            record.parameters.removeAll { $0.parameter.source == .query }
            let query = Array(exchange.request.url?.query ?? [])
            record.parameters += RecordRedactor.stored(
                ParameterExtractor.extract(query: query.span, contentType: nil, body: nothing.span))
        }
        if exchange.request.body != original.request.body {
            record.parameters.removeAll { $0.parameter.source != .query }
            let type = record.values.text(StoredRecord.Column.requestType.rawValue)
            // A body that redaction changed has no content coding anymore.
            record.parameters += RecordRedactor.stored(
                ParameterExtractor.extract(
                    query: nothing.span, contentType: type, body: exchange.request.body.kept.span))
        }
    }

    private static func stored(_ parameters: [ExtractedParameter]) -> [StoredParameter] {
        parameters.enumerated().map {
            StoredParameter(position: Int64($0.offset), parameter: $0.element)
        }
    }

    /// The values of `StoredHeads.columns`.
    private func heads(_ result: CapturedExchange, isSentOnly: Bool) -> [SQLValue] {
        let exchange = result.exchange
        let request = exchange.request
        let response = exchange.response
        return [
            SQLValue(request.head?.bytes ?? result.malformedHead),
            SQLValue(isSentOnly ? nil : response?.head.bytes),
            SQLValue(request.trailers.map(RecordRedactor.section)),
            SQLValue(response?.trailers.map(RecordRedactor.section)),
            SQLValue(
                exchange.informational.isEmpty
                    ? nil : Array(exchange.informational.map(\.bytes).joined())),
            SQLValue(request.sentHead?.bytes),
            SQLValue(requestCodings(request)),
            SQLValue(
                !isSentOnly && response?.head.version.major == 2 ? response?.head.codings : nil),
            SQLValue(exchange.frames.isEmpty ? nil : exchange.frames),
            SQLValue(isSentOnly ? response?.head.bytes : response?.sentHead?.bytes),
        ]
    }

    private func requestCodings(_ request: Request) -> [UInt8]? {
        if let malformed = request.malformedCodings { return malformed.map(\.rawValue) }
        return request.head?.version.major == 2 ? request.head?.codings : nil
    }

    /// A trailer section with its empty line.
    private static func section(_ fields: HeaderFields) -> [UInt8] {
        var bytes: [UInt8] = []
        fields.write(into: &bytes)
        return bytes + [0x0D, 0x0A]
    }
}
