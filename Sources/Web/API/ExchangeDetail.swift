internal import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydContentCoding
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydOperations

/// `GET /exchanges/{id}`: `show --json` with long bodies cut, and what a page shows beside it.
struct ExchangeDetail {
    /// The most bytes of each body in the object; the rest is read at `/body/{part}`.
    static let bodyByteCountMax = 256 << 10

    private let subject: CapturedExchange

    init(_ subject: CapturedExchange) { self.subject = subject }

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

/// The phases of an exchange as bars, each with its start and its length in milliseconds. Times of
/// holds are bars, too. The gaps are the proxy's own time.
enum TimelineJSON {
    private struct Span {
        let name: String
        let start: Int64
        let end: Int64
        var kind = Kind.network
    }

    private enum Kind: String {
        case network, proxy, held
    }

    static func value(_ exchange: Exchange) -> JSONValue {
        value(exchange.timeline, exchange.holds)
    }

    static func value(_ timeline: Timeline, _ holds: [AppliedRule.Hold]) -> JSONValue {
        let holds = holds.map {
            Span(
                name: "held", start: $0.startNs, end: $0.startNs.addingClamped($0.durationNs),
                kind: .held)
        }
        let phases = TimelinePhase.all.compactMap { span($0, timeline) } + holds
        let all = phases + gaps(between: phases, until: timeline.totalDuration ?? 0)
        return .members([
            ("spans", .array(all.sorted { $0.start < $1.start }.map(value))),
            ("total_ms", .milliseconds(timeline.totalDuration)),
        ])
    }

    private static func span(_ phase: TimelinePhase, _ timeline: Timeline) -> Span? {
        guard let duration = phase.duration(timeline), let start = timeline[phase.start] else {
            return nil
        }
        return Span(name: phase.name, start: start, end: start.addingClamped(duration))
    }

    /// The gaps between the phases, which may overlap.
    private static func gaps(between phases: [Span], until total: Int64) -> [Span] {
        var gaps: [Span] = []
        var reached: Int64 = 0
        for phase in phases.sorted(by: { $0.start < $1.start }) {
            if phase.start > reached {
                gaps.append(Span(name: "proxy", start: reached, end: phase.start, kind: .proxy))
            }
            reached = max(reached, phase.end)
        }
        if total > reached {
            gaps.append(Span(name: "proxy", start: reached, end: total, kind: .proxy))
        }
        return gaps
    }

    private static func value(_ span: Span) -> JSONValue {
        .members([
            ("name", .string(span.name)), ("start_ms", .milliseconds(span.start)),
            ("duration_ms", .milliseconds(span.end - span.start)),
            ("kind", .string(span.kind.rawValue)),
        ])
    }
}

/// The certificates that the server of an exchange sent, its own first.
enum CertificatesJSON {
    static func value(_ exchange: Exchange, _ read: ([UInt8]) -> CertificateFacts?) -> JSONValue {
        let chain = exchange.server?.security?.peerCertificates.compactMap(read) ?? []
        return .members([("certificates", .array(chain.map(value)))])
    }

    private static func value(_ facts: CertificateFacts) -> JSONValue {
        .members([
            ("subject", .string(facts.subject)), ("issuer", .string(facts.issuer)),
            ("names", .strings(facts.names)), ("not_before", date(facts.notBefore)),
            ("not_after", date(facts.notAfter)), ("key", .string(facts.key)),
            ("signature", .string(facts.signature)), ("serial", .string(facts.serial)),
            ("fingerprint", .string(facts.fingerprint)),
            ("authority", .bool(facts.isAuthority)),
        ])
    }

    /// A store may contain any number, and RFC 3339 has years of four digits.
    private static func date(_ seconds: Int64) -> JSONValue {
        let text = RFC3339.text(seconds: seconds)
        return text.utf8.count == "2026-11-20T10:00:00.000Z".utf8.count ? .string(text) : .null
    }
}
