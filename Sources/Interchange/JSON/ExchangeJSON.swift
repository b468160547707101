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

    /// The member `request`.
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

    /// Field lines as `[name, value]`.
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
