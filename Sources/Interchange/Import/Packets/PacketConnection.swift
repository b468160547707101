internal import ProxydHTTPModel

/// A connection in a packet capture, as it is or as TLS has it inside.
struct PacketConnection {
    /// When the messages of a stream of HTTP/2 passed, in nanoseconds since 1970.
    struct StreamMoments {
        var request: Int64?
        var requestEnd: Int64?
        var response: Int64?
        var responseEnd: Int64?
    }

    /// `127.0.0.1:49152` or `[::1]:49152`.
    let client: String
    let server: String
    let startedAt: Int64
    let isEncrypted: Bool
    /// nil if no HTTP was found in it, as in TLS without keys.
    var version: HTTPVersion?
    /// Where a tunnel through a proxy leads, if these are the bytes inside one.
    private(set) var tunnel: (host: String, port: UInt16)?
    /// How many tunnels these bytes are inside of.
    private(set) var depth = 0
    /// When each request ended, in order.
    private(set) var requests: [Int64] = []
    /// When each response ended, in order.
    private(set) var responses: [Int64] = []
    private(set) var streams: [UInt32: StreamMoments] = [:]

    init(client: String, server: String, startedAt: Int64, isEncrypted: Bool) {
        self.isEncrypted = isEncrypted
        self.client = client
        self.server = server
        self.startedAt = startedAt
    }

    /// Notes a message of HTTP/1.
    mutating func note(isFromClient: Bool, _ at: Int64) {
        if isFromClient { requests.append(at) } else { responses.append(at) }
    }

    /// Notes a frame of HTTP/2.
    mutating func note(_ stream: UInt32, isFromClient: Bool, _ at: Int64) {
        guard stream > 0 else { return }
        var moments = streams[stream] ?? StreamMoments()
        if isFromClient {
            moments.request = moments.request ?? at
            if moments.response == nil { moments.requestEnd = at }
        } else {
            moments.response = moments.response ?? at
            moments.responseEnd = at
        }
        streams[stream] = moments
    }

    /// The same connection inside a tunnel; nothing is known of when its messages passed.
    func inside(
        _ tunnel: (host: String, port: UInt16), _ version: HTTPVersion
    ) -> PacketConnection {
        var inner = PacketConnection(
            client: client, server: server, startedAt: startedAt, isEncrypted: isEncrypted)
        inner.version = version
        inner.tunnel = tunnel
        inner.depth = depth + 1
        return inner
    }

    /// The same messages, inside a tunnel if there is one.
    func leading(to tunnel: (host: String, port: UInt16)?) -> PacketConnection {
        var led = self
        led.tunnel = tunnel ?? self.tunnel
        return led
    }

    /// The server's address and port.
    var serverPlace: (host: String, port: UInt16)? {
        if let tunnel { return tunnel }
        guard let colon = server.lastIndex(of: ":"),
            let port = UInt16(server[server.index(after: colon)...])
        else { return nil }
        let host = server[..<colon].filter { $0 != "[" && $0 != "]" }
        return (host, port)
    }

    /// The records of both sides.
    func records(_ number: Int) -> (client: ConnectionRecord, server: ConnectionRecord) {
        func record(_ side: ConnectionRecord.Side, _ peer: String, _ local: String)
            -> ConnectionRecord
        {
            ConnectionRecord(
                id: ConnectionID(rawValue: Int64(number) * 2 + (side == .client ? 1 : 2)),
                side: side, openedAt: startedAt, peerAddress: peer, localAddress: local)
        }
        return (record(.client, client, server), record(.server, server, client))
    }
}
