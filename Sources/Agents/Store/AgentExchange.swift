internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydStoreAnswers

/// An exchange as agents see it.
struct AgentExchange {
    private let original: CapturedExchange
    /// The exchange, without credentials unless the policy shows them.
    let captured: CapturedExchange
    private let redactor: ExchangeRedactor?

    init(_ subject: ExchangeSubject, _ redactor: ExchangeRedactor?) {
        original = CapturedExchange(
            row: subject.row, exchange: subject.exchange, malformedHead: subject.malformedHead)
        captured = redactor?.redacted(original) ?? original
        self.redactor = redactor
    }

    var row: ExchangeRow { captured.row }
    var exchange: Exchange { captured.exchange }

    /// The exchange for comparisons.
    var subject: ExchangeSubject {
        ExchangeSubject(
            row: row, exchange: exchange, malformedHead: captured.malformedHead)
    }

    /// The decoded body of a message.
    func content(_ side: StoredMessage) -> BodyContent { subject.content(side) }

    /// Whether redaction removed a body, because it could not be searched for credentials.
    func isBodyLeftOut(_ side: StoredMessage) -> Bool {
        captured.leftOut.contains("\(side == .request ? "request" : "response") body")
    }

    /// Members that say what is wrong with a body's content coding, if anything is, and how much of
    /// the body was recorded, unless all of it was read.
    func missing(_ side: StoredMessage) -> [(String, JSONValue)] {
        unread(side)
            + (content(side).problem.map { [("body_problem", .string($0))] } ?? [])
    }

    private func unread(_ side: StoredMessage) -> [(String, JSONValue)] {
        let (row, exchange) = (original.row, original.exchange)
        let isRequest = side == .request
        let recorded = isRequest ? row.requestKeptByteCount : row.responseKeptByteCount
        let body = isRequest ? exchange.request.body : exchange.response?.body
        guard Int64(body?.kept.count ?? 0) < recorded else { return [] }
        return [
            ("recorded_bytes", .integer(recorded)),
            ("not_read", .string("only the first 16 MiB of a body are read")),
        ]
    }

    /// Messages of the exchange. Those that were not read completely count as cut.
    func messages(_ rows: [MessageRow]) -> [ExportedMessage] {
        guard let redactor else { return rows.map { ExportedMessage($0) } }
        let rows = rows.map { row in
            var row = row
            if Int64(row.bytes.count) < row.byteCount { row.flags.insert(.cut) }
            // Only what was read of a body was searched.
            if !isBodyRead(of: row.direction) { row.bodyStart = nil }
            return row
        }
        return redactor.redacted(rows, of: captured, from: original)
    }

    private func isBodyRead(of direction: MessageRecord.Direction) -> Bool {
        switch direction {
        case .toServer:
            Int64(original.exchange.request.body.kept.count) == original.row.requestKeptByteCount
        case .toClient:
            Int64(original.exchange.response?.body.kept.count ?? 0)
                == original.row.responseKeptByteCount
        }
    }
}
