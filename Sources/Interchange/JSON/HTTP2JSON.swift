internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

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
