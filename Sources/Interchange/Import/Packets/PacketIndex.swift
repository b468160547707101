internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel

/// The connections in a packet capture that carry HTTP, and when their messages passed: what
/// tshark reports about each packet in a line.
struct PacketIndex {
    /// The fields of a line, separated by tabs; several values of one field by commas.
    static let fields = [
        "tcp.stream", "frame.time_epoch", "frame.protocols", "ip.src", "ipv6.src", "tcp.srcport",
        "ip.dst", "ipv6.dst", "tcp.dstport", "http.request.method", "http.response.code",
        "http2.streamid",
    ]
    /// The packets that a line is wanted for.
    static let filter = "http or http2 or websocket or tls.handshake.type==1"

    private static let connectionCountMax = 100_000
    /// The number of moments that are kept of all messages together.
    private static let momentCountMax = 1_000_000

    /// What is known of a connection.
    struct Entry {
        /// Its bytes as they are.
        var plain: PacketConnection
        /// What TLS has inside; nil if there is no TLS.
        var secure: PacketConnection?
        /// Whether it is known which end is the client, because it spoke as one, or the other as a
        /// server.
        var isSure = false

        /// What can be read of it, from outside to inside.
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
        var elements: [SplitElement] = []
        cutter.receive(bytes, into: &elements)
        take(elements)
    }

    mutating func finish() {
        var elements: [SplitElement] = []
        cutter.finish(into: &elements)
        take(elements)
    }

    private mutating func take(_ elements: [SplitElement]) {
        for case .bytes(let line) in elements {
            let text = String(decoding: line, as: UTF8.self)
            let values = text.split(separator: "\t", omittingEmptySubsequences: false)
            if values.count == PacketIndex.fields.count { take(values) }
        }
    }

    private mutating func take(_ values: [Substring]) {
        guard let number = UInt32(values[0]).map(Int.init),
            let at = PacketIndex.nanoseconds(values[1]),
            let source = PacketIndex.address(values[3], values[4], values[5]),
            let target = PacketIndex.address(values[6], values[7], values[8])
        else { return }
        let layers = values[2].split(separator: ":")
        let isAnswer = values[9].isEmpty && !values[10].isEmpty
        // A part of a message may come from either end.
        let isPart = layers.contains("http") && values[9].isEmpty && values[10].isEmpty
        if let known = connections[number] {
            if !known.isSure, !isPart {
                connections[number]?.plain = PacketConnection(
                    client: isAnswer ? target : source, server: isAnswer ? source : target,
                    startedAt: known.plain.startedAt, isEncrypted: false)
                connections[number]?.plain.version = known.plain.version
            }
        } else {
            guard connections.count < PacketIndex.connectionCountMax else {
                isTooLarge = true
                return
            }
            connections[number] = Entry(
                plain: PacketConnection(
                    client: isAnswer ? target : source, server: isAnswer ? source : target,
                    startedAt: at, isEncrypted: false))
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
