public import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydExchangeContent
public import ProxydHTTPModel
public import ProxydParameterCoding

/// A complete exchange as `show --json` prints it.
public enum ExchangeJSON {
    /// The members of `list --json`, then `applied_rules`, those of `RouteJSON`, `upgraded_to`,
    /// `request`, `response`, `timeline` and `http2`.
    public static func value(_ row: ExchangeRow, _ exchange: Exchange) -> JSONValue {
        .members(
            row.jsonMembers
                + [("applied_rules", AppliedRuleJSON.value(exchange.appliedRules))]
                + RouteJSON.members(exchange)
                + [
                    ("upgraded_to", .text(exchange.upgradedTo)),
                    ("request", request(exchange.request)),
                    ("response", response(exchange)),
                    ("timeline", timeline(exchange.timeline)),
                    ("http2", HTTP2JSON.value(exchange)),
                ])
    }

    public static func request(_ request: Request) -> JSONValue {
        let content = BodyContent(request.body, request.head?.fields)
        let query = request.url?.query.map { BodyContent.pairs(Array($0), ByteText()) } ?? []
        return .members(
            message(request.head?.fields, request.trailers, content) + [
                ("sent", SentJSON.value(request)),
                ("query", .pairs(query)),
                ("form", content.form.map(JSONValue.pairs) ?? .null),
                ("multipart", content.parts.map(multipart) ?? .null),
                ("json", content.json ?? .null),
            ])
    }

    /// The member `response`: what the client received, and the part of the server's response that
    /// it did not; null if there is neither.
    public static func response(_ exchange: Exchange) -> JSONValue {
        let response = exchange.response
        guard response != nil || exchange.responseFault != nil else { return .null }
        let content = BodyContent(response?.body ?? Body(), response?.head.fields)
        return .members(
            message(response?.head.fields, response?.trailers, content)
                + [("sent", response.map(SentJSON.value) ?? .null)]
                + [("json", content.json ?? .null)]
                + fault(exchange.responseFault ?? ResponseFault()))
    }

    /// The members `refused` and `repaired`.
    static func fault(_ fault: ResponseFault) -> [(String, JSONValue)] {
        let refused = fault.refusal.map { refusal in
            JSONValue.members([
                ("bytes_base64", .string(Base64.text(refusal.bytes))),
                ("reason", .string(refusal.reason)),
            ])
        }
        return [("refused", refused ?? .null), ("repaired", .strings(fault.repairs))]
    }

    private static func message(
        _ fields: HeaderFields?, _ trailers: HeaderFields?, _ content: BodyContent
    ) -> [(String, JSONValue)] {
        [
            ("headers", .array(fields.map(pairs) ?? [])),
            ("trailers", trailers.map { .array(pairs($0)) } ?? .null),
            ("body_bytes", .integer(content.body.byteCount)),
            ("body_kept_bytes", .integer(content.body.kept.count)),
            ("body_truncated", .bool(content.body.isTruncated)),
        ] + bodyMembers(content)
    }

    /// A body that is not text, or cannot be decoded, is written as stored.
    static func bodyMembers(_ content: BodyContent) -> [(String, JSONValue)] {
        let text = content.isDecoded ? content.text : nil
        return [
            ("body_text", .text(text)),
            ("body_base64", text == nil ? .string(Base64.text(content.body.kept)) : .null),
            ("body_problem", .text(content.problem)),
        ]
    }

    package static func pairs(_ fields: HeaderFields) -> [JSONValue] {
        fields.pairs.map { .array([.string($0.name), .string($0.value)]) }
    }

    private static func multipart(_ parts: [BodyContent.Part]) -> JSONValue {
        .array(
            parts.map {
                .members([
                    ("name", .text($0.name)), ("filename", .text($0.filename)),
                    ("content_type", .text($0.contentType)), ("bytes", .integer($0.byteCount)),
                ])
            })
    }

    private static func timeline(_ timeline: Timeline) -> JSONValue {
        .members([
            ("started_at", .string(RFC3339.text(nanoseconds: timeline.wallStart))),
            ("dns_ms", .milliseconds(timeline.dns)),
            ("connect_ms", .milliseconds(timeline.connect)),
            ("tls_ms", .milliseconds(timeline.tls)),
            ("send_ms", .milliseconds(timeline.send)),
            ("wait_ms", .milliseconds(timeline.wait)),
            ("receive_ms", .milliseconds(timeline.receive)),
            ("latency_ms", .milliseconds(timeline.latency)),
            ("request_duration_ms", .milliseconds(timeline.requestDuration)),
            ("serialization_duration_ms", .milliseconds(timeline.serializationDuration)),
            ("total_duration_ms", .milliseconds(timeline.totalDuration)),
            ("connection_reused", .bool(timeline.connectionReused)),
        ])
    }
}

extension ExchangeRow {
    /// The row as `list --json` prints it: these members, in this order, with null for absent ones.
    public var json: JSONValue { .members(jsonMembers) }

    /// The members of `json`, for objects that add more.
    public var jsonMembers: [(String, JSONValue)] {
        ExchangeRow.jsonColumns.map { ($0.name, $0.value(self)) }
    }

    /// A member of `json` by its name; nil if there is none of that name.
    public func jsonMember(named name: String) -> JSONValue? {
        ExchangeRow.jsonColumns.first { $0.name == name }?.value(self)
    }

    /// The names of the members of `json`, in order.
    public static let jsonNames = jsonColumns.map(\.name)

    private static let jsonColumns: [(name: String, value: @Sendable (ExchangeRow) -> JSONValue)] =
        [
            ("id", { ExchangeNameJSON.value($0.id, in: $0.storeName) }),
            ("method", { .text($0.method) }),
            ("url", { .text($0.url) }),
            ("scheme", { .text($0.scheme) }),
            ("host", { .text($0.host) }),
            ("port", { .integer($0.port) }),
            ("path", { .text($0.path) }),
            ("query", { .text($0.query) }),
            ("http_version", { .text($0.httpVersion) }),
            ("status", { .integer($0.status) }),
            ("reason", { .text($0.reason) }),
            ("started_at", { .string($0.startedAt) }),
            ("duration_ms", { .milliseconds($0.durationNs) }),
            ("request_body_bytes", { .integer($0.requestBodyByteCount) }),
            ("response_body_bytes", { .integer($0.responseBodyByteCount) }),
            ("request_content_type", { .text($0.requestContentType) }),
            ("response_content_type", { .text($0.responseContentType) }),
            ("client_address", { .text($0.clientAddress) }),
            ("process", { .text($0.process) }),
            ("pid", { .integer($0.pid) }),
            ("server_address", { .text($0.serverAddress) }),
            ("tls_version", { .text($0.tlsVersion) }),
            ("error", { .text($0.error) }),
            ("state", { .string($0.state.rawValue) }),
            ("replay_of", { ExchangeNameJSON.value($0.replayOf, in: $0.storeName) }),
            ("tags", { .strings($0.tags) }),
            ("note", { .text($0.note) }),
            ("pinned", { .bool($0.isPinned) }),
            ("protocol", { .text($0.spokenProtocol?.rawValue) }),
            ("stream", { .integer($0.stream) }),
            ("messages", { .integer($0.messageCount) }),
            ("grpc_status", { .integer($0.grpcStatus) }),
            ("graphql_operation", { .text(lines($0.graphQL.map { $0.name ?? "" })) }),
            ("graphql_type", { .text(lines($0.graphQL.map { $0.kind?.rawValue ?? "" })) }),
            ("rules", { .strings($0.rules) }),
            ("user", { .text($0.user) }),
            ("received_status", { .integer($0.receivedStatus) }),
            ("held_ms", { .milliseconds($0.heldNs) }),
        ]

    /// Joins texts with line feeds; nil if there are none.
    private static func lines(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: "\n")
    }
}

/// Names of exchanges in JSON: a number if the store recorded them itself, the text `STORE:NUMBER`
/// in a store of many stores.
package enum ExchangeNameJSON {
    /// An exchange of a store whose rows have this `storeName`; null for none.
    package static func value(_ id: ExchangeID?, in storeName: String?) -> JSONValue {
        guard let id else { return .null }
        guard storeName != nil else { return .integer(id.rawValue) }
        return .string(ExchangeName(id, in: storeName).description)
    }

    /// An exchange with a name from `ExchangeReading.name(of:)`.
    package static func value(_ name: String) -> JSONValue {
        Int64(name).map(JSONValue.integer) ?? .string(name)
    }

    /// Reads a member that these functions wrote: the number of an exchange in a file, unique in
    /// it. Nil if there is none.
    static func number(_ value: JSONValue?) -> Int64? {
        guard let text = value?.text else { return value?.integer }
        guard let name = ExchangeName(text), let storeName = name.storeName else { return nil }
        // FNV-1a, so that equal numbers of different stores differ.
        let hash = storeName.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        let store = Int64(truncatingIfNeeded: hash) << ExchangeName.numberBits
        return (store ^ name.number) & .max
    }
}

/// The member `sent` of a message: what was forwarded; null if that is what was received.
package enum SentJSON {
    package static func value(_ request: Request) -> JSONValue {
        guard let head = request.sentHead ?? request.head,
            request.sentHead != nil || request.sentBody != nil
        else { return .null }
        return value(
            [
                ("start_line", .string(head.startLineText)),
                ("authority", head.authority.map { .string($0) } ?? .null),
            ], head.fields, request.sentBody ?? request.body)
    }

    package static func value(_ response: Response) -> JSONValue {
        guard response.sentHead != nil || response.sentBody != nil else { return .null }
        let head = response.sentHead ?? response.head
        return value(
            [("start_line", .string(head.statusLineText))], head.fields,
            response.sentBody ?? response.body)
    }

    private static func value(
        _ start: [(String, JSONValue)], _ fields: HeaderFields, _ body: Body
    ) -> JSONValue {
        .members(
            start + [
                ("headers", .array(ExchangeJSON.pairs(fields))),
                ("body_bytes", .integer(body.byteCount)),
            ] + ExchangeJSON.bodyMembers(BodyContent(body, fields)))
    }
}

/// The HTTP/2 details of an exchange, as JSON.
enum HTTP2JSON {
    /// The member `http2` of `show --json`; null if no HTTP/2 connection was used.
    static func value(_ exchange: Exchange) -> JSONValue {
        guard let facts = exchange.http2 else { return .null }
        let request = exchange.request.head
        let response = exchange.response?.head
        return .members(
            streams(facts) + [
                ("request_lines", lines(request?.version, request?.allFields)),
                ("response_lines", lines(response?.version, response?.allFields)),
                ("frames", .array(FrameTimeline.records(exchange.frames).map(FrameText.json))),
                ("client_connection", connection(exchange.client)),
                ("server_connection", connection(exchange.server)),
            ])
    }

    /// The details that `_capture` keeps for an import.
    static func captured(_ exchange: Exchange) -> JSONValue {
        guard let facts = exchange.http2 else { return .null }
        return .members(
            streams(facts) + [
                (
                    "frames_base64",
                    .text(exchange.frames.isEmpty ? nil : Base64.text(exchange.frames))
                )
            ])
    }

    /// Restores these details during an import.
    static func take(_ value: JSONValue?, into exchange: inout Exchange) {
        guard let value, !value.members.isEmpty else { return }
        var facts = HTTP2Facts()
        facts.clientStream = stream(value["client_stream"])
        facts.serverStream = stream(value["server_stream"])
        facts.serverVersion = value["server_version"]?.text.flatMap(version)
        facts.reset = value["reset"].flatMap(reset)
        exchange.http2 = facts
        exchange.frames = value["frames_base64"]?.bytes ?? []
    }

    private static func streams(_ facts: HTTP2Facts) -> [(String, JSONValue)] {
        [
            ("client_stream", .integer(facts.clientStream?.rawValue)),
            ("server_stream", .integer(facts.serverStream?.rawValue)),
            ("server_version", .text(facts.serverVersion.map { "\($0)" })),
            ("reset", facts.reset.map(json) ?? .null),
        ]
    }

    /// The lines of an HTTP/2 head with their HPACK encoding; null for other versions.
    private static func lines(_ version: HTTPVersion?, _ fields: HeaderFields?) -> JSONValue {
        guard version == .http2, let fields else { return .null }
        return .array(
            fields.lines.map { line in
                .array([
                    .string(fields.name(of: line)), .string(fields.value(of: line)),
                    .string("\(line.coding.representation)"),
                ])
            })
    }

    private static func json(_ reset: HTTP2Facts.Reset) -> JSONValue {
        .members([
            ("code", .string("\(reset.code)")), ("side", .string(reset.side.rawValue)),
            ("by", .string(reset.isOurs ? "proxy" : reset.side.rawValue)),
        ])
    }

    private static func connection(_ record: ConnectionRecord?) -> JSONValue {
        guard let facts = record?.http2 else { return .null }
        return .members([
            ("our_settings", settings(facts.ourSettings)),
            ("peer_settings", settings(facts.peerSettings)),
            ("frames", .array(FrameTimeline.records(facts.frames).map(FrameText.json))),
        ])
    }

    private static func settings(_ settings: [HTTP2ConnectionFacts.Setting]) -> JSONValue {
        .array(settings.map { .array([.string($0.name), .integer($0.value)]) })
    }

    private static func stream(_ value: JSONValue?) -> StreamID? {
        value?.integer.flatMap { UInt32(exactly: $0) }.map(StreamID.init(rawValue:))
    }

    private static func version(_ text: String) -> HTTPVersion? {
        [.http10, .http11, .http2].first { "\($0)" == text }
    }

    private static func reset(_ value: JSONValue) -> HTTP2Facts.Reset? {
        guard let side = value["side"]?.text.flatMap(ConnectionRecord.Side.init(rawValue:)),
            let text = value["code"]?.text,
            let code = HTTP2ErrorCode(name: text) ?? UInt32(text).map(HTTP2ErrorCode.init)
        else { return nil }
        return HTTP2Facts.Reset(side: side, isOurs: value["by"]?.text == "proxy", code: code)
    }
}

/// How a client connected and how its server was reached: members of `show --json`, and with an
/// underscore before their names of HAR entries.
enum RouteJSON {
    /// `listener`, `mode`, `upstream`, `original_address`, `proxy_protocol_peer` and
    /// `client_certificate`.
    static func members(_ exchange: Exchange) -> [(name: String, value: JSONValue)] {
        let arrival = exchange.client?.arrival
        return [
            ("listener", .text(arrival?.listener)), ("mode", .text(arrival?.mode.rawValue)),
            ("upstream", .text(exchange.server?.upstream)),
            ("original_address", .text(arrival?.originalAddress)),
            ("proxy_protocol_peer", .text(arrival?.proxyProtocolPeer)),
            ("client_certificate", clientCertificate(exchange.server?.security)),
        ]
    }

    /// The result of the server's request for a client certificate; null if it made none.
    private static func clientCertificate(_ security: ConnectionRecord.Security?) -> JSONValue {
        guard let security, let authorities = security.requestedAuthorities else { return .null }
        return .members([
            ("shown", .bool(security.showsClientCertificate)),
            ("authorities", .array(authorities.map { .string($0) })),
        ])
    }

    /// The same members and `user` for a HAR entry, without those that are absent.
    static func harMembers(_ exchange: Exchange) -> [(String, JSONValue)] {
        (members(exchange) + [("user", .text(exchange.user))]).compactMap { name, value in
            value == .null ? nil : ("_" + name, value)
        }
    }

    /// Reads the members and `user` again. The exchange already has its connections; missing or
    /// invalid members are ignored.
    static func take(_ value: JSONValue, prefix: String = "", into exchange: inout Exchange) {
        func text(_ name: String) -> String? { value[prefix + name]?.text }
        exchange.user = text("user")
        exchange.server?.upstream = text("upstream")
        if let asked = value[prefix + "client_certificate"], asked != .null {
            exchange.server?.security?.requestedAuthorities =
                asked["authorities"]?.elements.compactMap(\.text) ?? []
            exchange.server?.security?.showsClientCertificate = asked["shown"] == .bool(true)
        }
        guard let listener = text("listener"),
            let mode = text("mode").flatMap(ConnectionRecord.Arrival.Mode.init(rawValue:))
        else { return }
        exchange.client?.arrival = ConnectionRecord.Arrival(
            listener: listener, mode: mode, originalAddress: text("original_address"),
            proxyProtocolPeer: text("proxy_protocol_peer"))
    }
}

/// The effects of rules, as in `applied_rules` of `show --json` and `_rules` of HAR.
enum AppliedRuleJSON {
    /// The name of the member in a HAR entry.
    static let harName = "_rules"

    static func value(_ rules: [AppliedRule]) -> JSONValue {
        .array(
            rules.map {
                .members([
                    ("rule", .string($0.rule)), ("phase", .string($0.phase.rawValue)),
                    ("outcome", .string($0.outcome)), ("detail", .text($0.detail)),
                    ("hold_start_ms", .milliseconds($0.hold?.startNs)),
                    ("hold_ms", .milliseconds($0.hold?.durationNs)),
                ])
            })
    }

    /// Reads the same JSON again; invalid elements are left out.
    static func rules(_ value: JSONValue?) -> [AppliedRule] {
        (value?.elements ?? []).compactMap { element in
            guard let rule = element["rule"]?.text,
                let phase = element["phase"]?.text.flatMap(AppliedRule.Phase.init(rawValue:))
            else { return nil }
            var applied = AppliedRule(
                rule: rule, phase: phase, outcome: element["outcome"]?.text ?? "",
                detail: element["detail"]?.text)
            if let startNs = element["hold_start_ms"]?.nanoseconds,
                let durationNs = element["hold_ms"]?.nanoseconds
            {
                applied.hold = AppliedRule.Hold(startNs: startNs, durationNs: durationNs)
            }
            return applied
        }
    }
}
