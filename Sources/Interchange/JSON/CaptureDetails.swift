internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// The member `_capture` of exported exchanges: what makes an imported exchange equal to the
/// exported one.
///
/// Heads are stored as the original bytes. A body is included only if the format's own members do
/// not reproduce it, because a content coding or charset was removed for readability.
package enum CaptureDetails {
    static let name = "_capture"

    /// `fault` is given if the format has no members for it.
    static func value(
        _ captured: CapturedExchange, requestBody: [UInt8]?, responseBody: [UInt8]?,
        fault: ResponseFault? = nil
    ) -> JSONValue {
        let (exchange, storeName) = (captured.exchange, captured.row.storeName)
        var members: [(String, JSONValue)] = [
            ("id", ExchangeNameJSON.value(exchange.id, in: storeName)),
            ("state", .string(exchange.state.rawValue)),
            ("replay_of", ExchangeNameJSON.value(exchange.replayOf, in: storeName)),
            ("tags", .strings(exchange.annotations.tags)),
            ("note", .text(exchange.annotations.note)),
            ("pinned", .bool(exchange.annotations.isPinned)),
            ("failure", exchange.failure.map(failure) ?? .null),
            ("upgraded_to", .text(exchange.upgradedTo)),
            ("request", request(captured, requestBody)),
            ("response", exchange.response.map { response($0, responseBody) } ?? .null),
            ("interim_heads", .strings(exchange.informational.map { Base64.text($0.bytes) })),
            ("timeline", timeline(exchange.timeline)),
            ("client", exchange.client.map(connection) ?? .null),
            ("server", exchange.server.map(connection) ?? .null),
        ]
        if exchange.http2 != nil { members.append(("http2", HTTP2JSON.captured(exchange))) }
        if let fault { members += ExchangeJSON.fault(fault) }
        if !captured.leftOut.isEmpty { members.append(("left_out", .strings(captured.leftOut))) }
        return .members(members)
    }

    private static func request(_ captured: CapturedExchange, _ body: [UInt8]?) -> JSONValue {
        let request = captured.exchange.request
        return message(
            request.head?.bytes ?? captured.malformedHead, body, request.body, request.trailers,
            [
                ("is_malformed", .bool(request.head == nil)),
                ("sent_head", base64(request.sentHead?.bytes)),
                ("keeps_foreign_host", .bool(request.keepsForeignHost)),
            ] + sent(request.sentBody)
                + codings(request.head?.codings, request.head?.version ?? .http11)
                + codings(request.malformedCodings?.map(\.rawValue), .http2))
    }

    private static func response(_ response: Response, _ body: [UInt8]?) -> JSONValue {
        message(
            response.head.bytes, body, response.body, response.trailers,
            sent(response.sentHead) + sent(response.sentBody) + marks(response)
                + codings(response.head.codings, response.head.version))
    }

    private static func marks(_ response: Response) -> [(String, JSONValue)] {
        (response.isWithheld ? [("withheld", .bool(true))] : [])
            + (response.body.isAbandoned ? [("abandoned", .bool(true))] : [])
    }

    private static func sent(_ head: ResponseHead?) -> [(String, JSONValue)] {
        head.map { [("sent_head", base64($0.bytes))] } ?? []
    }

    /// A body that was sent in place of the one received.
    private static func sent(_ body: Body?) -> [(String, JSONValue)] {
        guard let body else { return [] }
        return [("sent_body_bytes", .integer(body.byteCount)), ("sent_body", base64(body.kept))]
    }

    /// How HPACK encoded the lines of an HTTP/2 head.
    private static func codings(
        _ codings: [UInt8]?, _ version: HTTPVersion
    ) -> [(String, JSONValue)] {
        guard version == .http2, let codings else { return [] }
        return [("head_codings", base64(codings))]
    }

    private static func message(
        _ head: [UInt8]?, _ bytes: [UInt8]?, _ body: Body, _ trailers: HeaderFields?,
        _ more: [(String, JSONValue)]
    ) -> JSONValue {
        .members(
            [
                ("head", base64(head)),
                ("body_bytes", .integer(body.byteCount)),
                ("body_kept_bytes", .integer(body.kept.count)),
                ("body", base64(bytes)),
                ("trailers", base64(trailers.map(trailerBytes))),
            ] + more)
    }

    private static func base64(_ bytes: [UInt8]?) -> JSONValue { .text(bytes.map(Base64.text)) }

    /// A trailer section, followed by its empty line.
    private static func trailerBytes(_ fields: HeaderFields) -> [UInt8] {
        var bytes: [UInt8] = []
        fields.write(into: &bytes)
        return bytes + [0x0D, 0x0A]
    }

    private static func failure(_ failure: ExchangeFailure) -> JSONValue {
        .members([
            ("origin", .string(failure.origin.rawValue)),
            ("kind", .string(failure.kind.rawValue)), ("message", .string(failure.message)),
        ])
    }

    private static func timeline(_ timeline: Timeline) -> JSONValue {
        let moments = Moment.allCases.compactMap { moment in
            timeline[moment].map { ("\(moment)", JSONValue.integer($0)) }
        }
        return .members([
            ("started_at_ns", .integer(timeline.wallStart)),
            ("connection_reused", .bool(timeline.connectionReused)),
            ("moments_ns", .members(moments)),
        ])
    }

    private static func connection(_ record: ConnectionRecord) -> JSONValue {
        .members(
            [
                ("id", .integer(record.id.rawValue)),
                ("opened_at_ns", .integer(record.openedAt)),
                ("peer_address", .string(record.peerAddress)),
                ("local_address", .string(record.localAddress)),
                ("process", .text(record.process?.name)),
                ("pid", .integer(record.process?.pid)),
                ("tls", record.security.map(security) ?? .null),
            ] + announced(record.http2))
    }

    /// The HTTP/2 SETTINGS that both sides announced.
    private static func announced(_ facts: HTTP2ConnectionFacts?) -> [(String, JSONValue)] {
        guard let facts else { return [] }
        func pairs(_ settings: [HTTP2ConnectionFacts.Setting]) -> JSONValue {
            .array(settings.map { .array([.integer(Int64($0.number)), .integer($0.value)]) })
        }
        return [
            ("our_settings", pairs(facts.ourSettings)),
            ("peer_settings", pairs(facts.peerSettings)),
        ]
    }

    private static func security(_ security: ConnectionRecord.Security) -> JSONValue {
        .members([
            ("version", .text(security.version)), ("cipher", .text(security.cipher)),
            ("alpn", .text(security.alpn)), ("server_name", .text(security.serverName)),
            ("is_resumed", .bool(security.isResumed)),
        ])
    }
}

/// Reads `_capture` again. Members that are missing or invalid are ignored.
extension CaptureDetails {
    static func failure(_ value: JSONValue?) -> ExchangeFailure? {
        guard let origin = value?["origin"]?.text.flatMap(ExchangeFailure.Origin.init(rawValue:)),
            let kind = value?["kind"]?.text.flatMap(ExchangeFailure.Kind.init(rawValue:))
        else { return nil }
        return ExchangeFailure(origin: origin, kind: kind, message: value?["message"]?.text ?? "")
    }

    static func timeline(_ value: JSONValue?) -> Timeline? {
        guard let value, let start = value["started_at_ns"]?.integer else { return nil }
        var timeline = Timeline(wallStart: start, start: 0)
        timeline.connectionReused = value["connection_reused"]?.bool ?? false
        for moment in Moment.allCases {
            timeline[moment] = value["moments_ns"]?["\(moment)"]?.integer
        }
        return timeline
    }

    static func annotations(_ value: JSONValue) -> Exchange.Annotations {
        Exchange.Annotations(
            note: value["note"]?.text, tags: (value["tags"]?.elements ?? []).compactMap(\.text),
            isPinned: value["pinned"]?.bool ?? false)
    }

    static func connection(
        _ value: JSONValue?, _ side: ConnectionRecord.Side
    ) -> ConnectionRecord? {
        guard let value, let address = value["peer_address"]?.text else { return nil }
        var record = ConnectionRecord(
            id: ConnectionID(rawValue: value["id"]?.integer ?? 0), side: side,
            openedAt: value["opened_at_ns"]?.integer ?? 0, peerAddress: address,
            localAddress: value["local_address"]?.text ?? "")
        if let pid = value["pid"]?.integer.flatMap({ Int32(exactly: $0) }) {
            record.process = .init(pid: pid, name: value["process"]?.text ?? "")
        }
        if let tls = value["tls"] {
            record.security = ConnectionRecord.Security(
                version: tls["version"]?.text, cipher: tls["cipher"]?.text,
                alpn: tls["alpn"]?.text, serverName: tls["server_name"]?.text,
                isResumed: tls["is_resumed"]?.bool ?? false)
        }
        if let ours = value["our_settings"] {
            record.http2 = HTTP2ConnectionFacts(
                ourSettings: settings(ours), peerSettings: settings(value["peer_settings"]))
        }
        return record
    }

    private static func settings(_ value: JSONValue?) -> [HTTP2ConnectionFacts.Setting] {
        (value?.elements ?? []).compactMap { pair in
            guard pair.elements.count == 2,
                let number = pair.elements[0].integer.flatMap({ UInt16(exactly: $0) }),
                let value = pair.elements[1].integer.flatMap({ UInt32(exactly: $0) })
            else { return nil }
            return .init(number: number, value: value)
        }
    }

    /// `refused` and `repaired` of a response, or of `_capture` itself.
    static func fault(_ value: JSONValue?) -> ResponseFault? {
        let refusal = value?["refused"].flatMap { refused -> ResponseFault.Refusal? in
            guard let reason = refused["reason"]?.text else { return nil }
            return .init(bytes: refused["bytes_base64"]?.bytes ?? [], reason: reason)
        }
        let repairs = (value?["repaired"]?.elements ?? []).compactMap(\.text)
        guard refusal != nil || !repairs.isEmpty else { return nil }
        return ResponseFault(refusal: refusal, repairs: repairs)
    }

    static func trailers(_ value: JSONValue?) -> HeaderFields? {
        value?["trailers"]?.bytes.flatMap { try? HeadParser.parseTrailers($0, limits: .captured) }
    }

    static func interimHeads(_ value: JSONValue) -> [ResponseHead] {
        (value["interim_heads"]?.elements ?? []).compactMap {
            $0.bytes.flatMap { try? HeadParser.parseResponseHead($0, limits: .captured) }
        }
    }
}
