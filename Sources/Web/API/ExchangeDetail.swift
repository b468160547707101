internal import ProxydContentCoding
internal import ProxydExchangeContent
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
    static let bodyByteCountMax = 256 << 10

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

    /// The exchange with long bodies cut.
    private func cut(_ exchange: Exchange) -> (Exchange, isCut: Bool) {
        var exchange = exchange
        let request = ExchangeDetail.shownByteCount(
            of: exchange.request.body, exchange.request.head?.fields)
        exchange.request.body.kept.removeLast(exchange.request.body.kept.count - request)
        var isCut = request < subject.row.requestKeptByteCount
        if let response = exchange.response {
            let count = ExchangeDetail.shownByteCount(of: response.body, response.head.fields)
            exchange.response?.body.kept.removeLast(response.body.kept.count - count)
            isCut = isCut || count < subject.row.responseKeptByteCount
        }
        return (exchange, isCut)
    }

    /// How many stored bytes of a body are shown. A coded body is cut in its stored form, and
    /// further if it grows too much when it is decoded.
    private static func shownByteCount(of body: Body, _ fields: HeaderFields?) -> Int {
        var count = min(body.kept.count, bodyByteCountMax)
        let codings = fields?.values(named: "Content-Encoding") ?? []
        guard !codings.isEmpty else { return count }
        let limits = DecodingLimits(decodedByteCountMax: 4 * bodyByteCountMax)
        while count > 0 {
            let decoded = ContentDecoder.decode(
                body.kept.span.extracting(first: count),
                contentEncoding: codings.joined(separator: ", "), limits: limits)
            guard case .overLimit? = decoded.failure else { return count }
            count /= 4
        }
        return count
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
