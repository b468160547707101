internal import ProxydCivilTime
internal import ProxydHTTPModel

/// Reads the exchanges of a packet capture from tshark's output. The caller runs tshark, first with
/// `indexArguments`, then with `nextArguments` until there are none, and passes on what it writes.
public struct PacketCapture {
    /// The number of connections that tshark keeps in memory at a time.
    private static let groupCount = 32

    private var index = PacketIndex()
    private var waiting: [(number: Int, layers: [PacketConnection])] = []
    private var followed: FollowReader?
    private var isBroken = false

    private let byteCountMax: Int

    public init() { self.init(byteCountMax: PacketBudget.byteCountMax) }

    /// - Parameter byteCountMax: The maximum size of what is kept of one connection.
    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Makes tshark list the connections with HTTP.
    public static var indexArguments: [String] {
        [
            "-n", "-Y", PacketIndex.filter, "-T", "fields", "-E", "separator=/t", "-E",
            "aggregator=,",
        ] + PacketIndex.fields.flatMap { ["-e", $0] }
    }

    /// Takes tshark's output for `indexArguments`.
    public mutating func receive(index bytes: [UInt8]) { index.receive(bytes.span) }

    /// Ends the list of connections, and reports what is not read.
    /// - Parameter problem: Why tshark could not read the whole file; nil if it could.
    public mutating func finishIndex(
        problem: String?, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        isBroken = problem != nil
        if let problem { try take(.failure(ImportProblem(problem, isDamage: true))) }
        index.finish()
        for (number, entry) in index.connections.sorted(by: { $0.key < $1.key }) {
            if entry.isHidden { try take(.success(.leftOut("encrypted connection"))) }
            if !entry.readable.isEmpty { waiting.append((number, entry.readable)) }
        }
        waiting.reverse()
        if index.isTooLarge {
            try take(.failure(ImportProblem("it has too many connections", isDamage: true)))
        }
        index = PacketIndex()
    }

    /// Makes tshark write the bytes of the next connections; nil after the last.
    public mutating func nextArguments() -> [String]? {
        guard !waiting.isEmpty else { return nil }
        var group: [Int: [PacketConnection]] = [:]
        var arguments = ["-n", "-q"]
        var follows: [String] = []
        for _ in 0..<PacketCapture.groupCount {
            guard let (number, layers) = waiting.popLast() else { break }
            group[number] = layers
            // tshark writes the last one first.
            follows += layers.map { "follow,\($0.isEncrypted ? "tls" : "tcp"),raw,\(number)" }
        }
        for follow in follows.reversed() { arguments += ["-z", follow] }
        followed = FollowReader(group, isBroken: isBroken, byteCountMax: byteCountMax)
        return arguments
    }

    /// Takes tshark's output for `nextArguments`, and passes on the exchanges in it.
    public mutating func receive(
        followed bytes: [UInt8], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        try followed?.receive(bytes.span, take)
    }
}

/// The connections in a packet capture that carry HTTP, and the times of their messages, from
/// tshark's line about each packet.
struct PacketIndex {
    /// The fields of a line, separated by tabs; several values of one field by commas.
    static let fields = [
        "tcp.stream", "frame.time_epoch", "frame.protocols", "ip.src", "ipv6.src", "tcp.srcport",
        "ip.dst", "ipv6.dst", "tcp.dstport", "http.request.method", "http.response.code",
        "http2.streamid",
    ]
    /// The packets to report.
    static let filter = "http or http2 or websocket or tls.handshake.type==1"

    private static let connectionCountMax = 100_000
    /// The number of instants kept for all messages together.
    private static let momentCountMax = 1_000_000

    struct Entry {
        /// The bytes as captured.
        var plain: PacketConnection
        /// The content of TLS; nil without TLS.
        var secure: PacketConnection?
        /// Whether it is known which end is the client, from what either end sent.
        var isSure = false

        /// The readable layers, from outside to inside.
        var readable: [PacketConnection] {
            [plain, secure].compactMap { $0 }.filter { $0.version != nil }
        }
        /// Whether TLS hides what is in it.
        var isHidden: Bool { secure.map { $0.version == nil } ?? (plain.version == nil) }
    }

    private(set) var connections: [Int: Entry] = [:]
    private var momentCount = 0
    private var cutter = LineCutter(byteCountMax: 64 << 10)
    /// Whether there were more connections than can be read.
    private(set) var isTooLarge = false

    mutating func receive(_ bytes: Span<UInt8>) {
        for element in cutter.receive(bytes) { take(element) }
    }

    mutating func finish() {
        if let last = cutter.finish() { take(last) }
    }

    private mutating func take(_ element: SplitElement) {
        guard case .bytes(let line) = element else { return }
        let text = String(decoding: line, as: UTF8.self)
        let values = text.split(separator: "\t", omittingEmptySubsequences: false)
        if values.count == PacketIndex.fields.count { take(values) }
    }

    private mutating func take(_ values: [Substring]) {
        guard let number = UInt32(values[0]).map(Int.init),
            let at = PacketIndex.nanoseconds(values[1]),
            let source = PacketIndex.address(values[3], values[4], values[5]),
            let target = PacketIndex.address(values[6], values[7], values[8])
        else { return }
        let layers = values[2].split(separator: ":")
        let isAnswer = values[9].isEmpty && !values[10].isEmpty
        // Either end may send a part of a message.
        let isPart = layers.contains("http") && values[9].isEmpty && values[10].isEmpty
        let (client, server) = isAnswer ? (target, source) : (source, target)
        if let known = connections[number] {
            if !known.isSure, !isPart {
                connections[number]?.plain = PacketConnection(
                    client: client, server: server, startedAt: known.plain.startedAt,
                    isEncrypted: false)
                connections[number]?.plain.version = known.plain.version
            }
        } else {
            guard connections.count < PacketIndex.connectionCountMax else {
                isTooLarge = true
                return
            }
            connections[number] = Entry(
                plain: PacketConnection(
                    client: client, server: server, startedAt: at, isEncrypted: false))
        }
        guard var entry = connections.removeValue(forKey: number) else { return }
        entry.isSure = entry.isSure || !isPart
        let isFromClient = source == entry.plain.client
        if let tls = layers.firstIndex(of: "tls") {
            var secure =
                entry.secure
                ?? PacketConnection(
                    client: entry.plain.client, server: entry.plain.server, startedAt: at,
                    isEncrypted: true)
            note(values, layers[tls...], isFromClient: isFromClient, at, &secure)
            entry.secure = secure
        } else {
            note(values, layers[...], isFromClient: isFromClient, at, &entry.plain)
        }
        connections[number] = entry
    }

    private mutating func note(
        _ values: [Substring], _ layers: ArraySlice<Substring>, isFromClient: Bool, _ at: Int64,
        _ connection: inout PacketConnection
    ) {
        let isHTTP2 = layers.contains("http2")
        let isHTTP = layers.contains("http")
        if isHTTP2 { connection.version = .http2 }
        if isHTTP, connection.version == nil { connection.version = .http11 }
        guard momentCount < PacketIndex.momentCountMax else { return }
        if isHTTP2 {
            for stream in values[11].split(separator: ",").compactMap({ UInt32($0) }) {
                momentCount += 1
                connection.note(stream, isFromClient: isFromClient, at)
            }
        } else if isHTTP {
            // A packet may end several messages.
            let count = (isFromClient ? values[9] : values[10]).split(separator: ",").count
            momentCount += count
            for _ in 0..<count { connection.note(isFromClient: isFromClient, at) }
        }
    }

    private static func address(
        _ fourth: Substring, _ sixth: Substring, _ port: Substring
    ) -> String? {
        // A tunnel has several addresses; the innermost comes last.
        guard let port = port.split(separator: ",").last.flatMap({ UInt16($0) }) else { return nil }
        if let host = fourth.split(separator: ",").last { return "\(host):\(port)" }
        return sixth.split(separator: ",").last.map { "[\($0)]:\(port)" }
    }

    /// Seconds since 1970 with up to nine digits of a fraction.
    static func nanoseconds(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard let seconds = parts.first.flatMap({ Int64($0) }),
            seconds >= 0
        else { return nil }
        let digits = parts.count == 2 ? parts[1].prefix(9) : ""
        let padded = String(digits) + String(repeating: "0", count: 9 - digits.count)
        guard let fraction = Int64(padded), fraction >= 0 else { return nil }
        return Nanoseconds.of(seconds: seconds, rest: fraction)
    }
}

/// A connection in a packet capture, as captured or inside TLS.
struct PacketConnection {
    /// The times of the messages of an HTTP/2 stream, in nanoseconds since 1970.
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
    /// Nil if no HTTP was found in it, as in TLS without keys.
    var version: HTTPVersion?
    /// The destination of a tunnel through a proxy, if these are the bytes inside one.
    private(set) var tunnel: (host: String, port: UInt16)?
    /// How many tunnels enclose these bytes.
    private(set) var depth = 0
    /// When each request ended, in order.
    private(set) var requests: [Int64] = []
    /// When each response ended, in order.
    private(set) var responses: [Int64] = []
    private(set) var streams: [UInt32: StreamMoments] = [:]

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

    /// The same connection inside a tunnel; the times of its messages are unknown.
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

    /// The URL of a request in these bytes.
    func url(_ head: RequestHead) throws(ImportProblem) -> RawURL {
        try RawURLs.url(head, scheme: isEncrypted ? "https" : "http", address: serverPlace)
    }

    private var serverPlace: (host: String, port: UInt16)? {
        if let tunnel { return tunnel }
        guard let colon = server.lastIndex(of: ":"),
            let port = UInt16(server[server.index(after: colon)...])
        else { return nil }
        let host = server[..<colon].filter { $0 != "[" && $0 != "]" }
        return (host, port)
    }

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

/// Limits what a captured connection keeps in memory until its exchanges end.
enum PacketBudget {
    static let byteCountMax = 256 << 20
    /// The size that each head counts as; most are smaller.
    static let headByteCount = 2 << 10
}
