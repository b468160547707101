internal import ProxydStoreAnswers
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydCaptureModel

/// `GET /exchanges/{id}`: the object of `show --json`, with long bodies cut, and what a page shows
/// beside it.
struct ExchangeDetail {
    /// The most bytes of each body in the object; the rest is read at `/body/{part}`.
    private static let bodyByteCountMax = 256 << 10

    private let subject: ExchangeSubject

    init(_ subject: ExchangeSubject) { self.subject = subject }

    var json: JSONValue {
        let (shown, isCut) = cut(subject.exchange)
        guard case .object(let members) = ExchangeJSON.value(subject.row, shown) else {
            return .null
        }
        let textual = RowJSON.textual(members.map { ($0.name, $0.value) }, subject.row)
        return .members(
            textual + [
                ("position", .string("\(subject.row.id)")), ("cut", .bool(isCut)),
                ("start_line", .text(subject.exchange.request.head?.startLineText)),
                ("status_line", .text(subject.exchange.response?.head.statusLineText)),
                ("malformed_head", .text(subject.malformedHead.map { Base64.text($0) })),
                ("facts", .array(facts.map(value))), ("untrusted", .bool(true)),
            ])
    }

    /// The exchange with long bodies cut. They are cut in their stored form, so that a coded body
    /// is decoded only as far as it is shown.
    private func cut(_ exchange: Exchange) -> (Exchange, isCut: Bool) {
        var exchange = exchange
        let limit = ExchangeDetail.bodyByteCountMax
        var isCut = false
        if exchange.request.body.kept.count > limit {
            exchange.request.body.kept = Array(exchange.request.body.kept.prefix(limit))
            isCut = true
        }
        if let body = exchange.response?.body, body.kept.count > limit {
            exchange.response?.body.kept = Array(body.kept.prefix(limit))
            isCut = true
        }
        return (exchange, isCut)
    }

    private var facts: [Fact] {
        let facts = ExchangeFacts(subject.row, subject.exchange)
        return facts.outcome + facts.course + facts.faults + facts.traits + facts.types
            + facts.grpcStatus + facts.connections
    }

    private func value(_ fact: Fact) -> JSONValue {
        .members([
            ("name", .string(fact.name)), ("value", .string(fact.value)),
            ("role", .string("\(fact.role)")),
        ])
    }
}
