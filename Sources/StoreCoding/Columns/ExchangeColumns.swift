package import ProxydHTTPModel

/// The columns of `exchange` that a whole exchange is made of.
package struct ExchangeColumns: Sendable {
    /// The columns, in the order in which `init(_:)` expects them.
    package static let columns = [
        "state", "started_ns", "scheme", "host", "port", "path", "query", "request_body_bytes",
        "response_body_bytes", "timeline", "client_connection_id", "server_connection_id",
        "error_origin", "error_kind", "error", "upgraded_to", "replay_of", "flags",
        "client_stream", "server_stream", "reset", "head_format", "user", "status",
        "received_status", "received_body_bytes",
    ]

    package let state: ExchangeState
    package let flags: ExchangeFlags
    let scheme: String?
    let host: String?
    let port: UInt16?
    let path: String?
    let query: String?
    package let requestByteCount: Int64
    /// The number of bytes of the body that the client received.
    package let responseByteCount: Int64
    /// The number of bytes of the body that the server sent, if the client received another one.
    let receivedByteCount: Int64?
    /// Whether the client received nothing of the server's response.
    let isResponseWithheld: Bool
    let timeline: Timeline
    /// The numbers of the connections.
    package let client: Int64?
    package let server: Int64?
    let failure: ExchangeFailure?
    let upgradedTo: String?
    let replayOf: ExchangeID?
    /// How the heads are stored; nil for a format that this program does not know.
    let headFormat: HeadFormat?
    let clientStream: StreamID?
    let serverStream: StreamID?
    let reset: HTTP2Facts.Reset?
    let user: String?

    /// Decodes a row with these columns.
    package init(_ row: some StoredValues) {
        state = ExchangeState(stored: row.integer(0) ?? 0)
        flags = ExchangeFlags(rawValue: row.integer(17) ?? 0)
        scheme = row.text(2)
        host = row.text(3)
        port = row.int(4).flatMap { UInt16(exactly: $0) }
        path = row.text(5)
        query = row.text(6)
        requestByteCount = row.integer(7) ?? 0
        responseByteCount = row.integer(8) ?? 0
        timeline = TimelineCoding.decode(
            row.bytes(9) ?? [], wallStart: row.integer(1) ?? 0,
            connectionReused: flags.contains(.connectionReused))
        client = row.integer(10)
        server = row.integer(11)
        failure = ExchangeColumns.failure(row)
        upgradedTo = row.text(15)
        replayOf = row.integer(16).map { ExchangeID(rawValue: $0) }
        headFormat = row.integer(21).flatMap(HeadFormat.init(rawValue:))
        clientStream = ExchangeColumns.stream(row.integer(18))
        serverStream = ExchangeColumns.stream(row.integer(19))
        reset = row.integer(20).flatMap(ResetCoding.reset)
        user = row.text(22)
        isResponseWithheld = row.integer(23) == nil && row.integer(24) != nil
        receivedByteCount = row.integer(25)
    }

    /// The HTTP/2 facts, or nil if neither side used HTTP/2.
    func http2(response: ResponseHead?) -> HTTP2Facts? {
        guard clientStream != nil || serverStream != nil else { return nil }
        var facts = HTTP2Facts()
        facts.clientStream = clientStream
        facts.serverStream = serverStream
        facts.serverVersion =
            serverStream != nil ? .http2 : server == nil ? nil : response?.version ?? .http11
        facts.reset = reset
        return facts
    }

    private static func stream(_ number: Int64?) -> StreamID? {
        number.flatMap { UInt32(exactly: $0) }.map(StreamID.init(rawValue:))
    }

    private static func failure(_ row: some StoredValues) -> ExchangeFailure? {
        guard let origin = row.text(12).flatMap(ExchangeFailure.Origin.init(rawValue:)),
            let kind = row.text(13).flatMap(ExchangeFailure.Kind.init(rawValue:))
        else { return nil }
        return ExchangeFailure(origin: origin, kind: kind, message: row.text(14) ?? "")
    }
}
