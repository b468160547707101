internal import ProxydHTTPModel

/// Reads the bytes of connections as tshark writes them (`follow,tcp,raw`): a heading that names
/// the connection and one of its ends, then a line of hexadecimal digits for each piece, with a tab
/// before those that the other end sent.
struct FollowReader {
    /// Enough for the largest TLS record, and for joined segments.
    private static let lineByteCountMax = 8 << 20

    private let connections: [Int: [PacketConnection]]
    private let isBroken: Bool
    private let byteCountMax: Int
    private var cutter = LineCutter(byteCountMax: lineByteCountMax)
    private var current: PacketMessages?
    private var isEncrypted = false
    private var number: Int?
    private var firstIsClient = true
    /// The destination of the tunnel that the last connection has become.
    private var tunnel: (number: Int, host: String, port: UInt16)?

    /// - Parameters:
    ///   - isBroken: Whether the file is broken, so that the last exchanges may be incomplete.
    ///   - byteCountMax: The maximum size of what is kept of a connection.
    init(_ connections: [Int: [PacketConnection]], isBroken: Bool, byteCountMax: Int) {
        self.connections = connections
        self.isBroken = isBroken
        self.byteCountMax = byteCountMax
    }

    /// Takes more of tshark's output; the last connection ends at a line of its own.
    mutating func receive(
        _ bytes: Span<UInt8>, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        for element in cutter.receive(bytes) {
            guard case .bytes(let line) = element else {
                current?.lose("a piece of it is too long")
                continue
            }
            try receive(line: line, take)
        }
    }

    private mutating func finish(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        try current?.finish(isBroken: isBroken, take)
        if let number, let place = current?.tunnel { tunnel = (number, place.host, place.port) }
        current = nil
    }

    private mutating func receive(
        line: [UInt8], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard let first = line.first else { return }
        switch first {
        case UInt8(ascii: "="):
            try finish(take)
            (number, isEncrypted) = (nil, false)
        case UInt8(ascii: "F"):
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("Follow:") { isEncrypted = text.hasPrefix("Follow: tls") }
            if text.hasPrefix("Filter:") {
                number = text.split(separator: " ").last.flatMap { Int($0) }
            }
        case UInt8(ascii: "N"):
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("Node 0: "), let number,
                let connection = connections[number]?.first(where: {
                    $0.isEncrypted == isEncrypted
                })?.leading(to: self.tunnel(of: number))
            {
                firstIsClient = FollowReader.isEqual(text.dropFirst(8), connection.client)
                current = PacketMessages(number, connection, byteCountMax: byteCountMax)
            }
        default:
            let isOther = first == 0x09
            let isFromClient = isOther != firstIsClient
            guard let bytes = FollowReader.bytes(isOther ? line.dropFirst() : line[...]) else {
                current?.lose("tshark wrote something else")
                return
            }
            if let missing = PacketGap.byteCount(bytes) {
                try take(.success(.leftOut("gap")))
                try current?.receive(gap: missing, isFromClient: isFromClient, take)
            } else {
                try current?.receive(bytes, isFromClient: isFromClient, take)
            }
        }
    }

    private func tunnel(of number: Int) -> (host: String, port: UInt16)? {
        tunnel.flatMap { $0.number == number ? ($0.host, $0.port) : nil }
    }

    /// tshark writes an IPv6 address without brackets here.
    private static func isEqual(_ node: Substring, _ client: String) -> Bool {
        node == client
            || node.filter { $0 != "[" && $0 != "]" }
                == client.filter { $0 != "[" && $0 != "]" }
    }

    private static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x61...0x66: value = digit - 0x57
            case 0x41...0x46: value = digit - 0x37
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}

/// What tshark writes in place of missing bytes: a sentence with their number, in the same digits
/// as the bytes.
enum PacketGap {
    /// More than a connection can miss: sequence numbers have 32 bits.
    private static let byteCountMax = 1 << 32
    private static let (start, end) = (
        UInt8(ascii: "["), Array(" bytes missing in capture file]".utf8)
    )

    /// The number of missing bytes; nil for bytes that were captured.
    static func byteCount(_ piece: [UInt8]) -> Int? {
        // A zero byte follows the sentence.
        let text = piece.last == 0 ? piece.dropLast() : piece[...]
        guard text.first == start, text.suffix(end.count).elementsEqual(end) else { return nil }
        let digits = text.dropFirst().dropLast(end.count)
        guard 1...10 ~= digits.count else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)).flatMap {
            1...byteCountMax ~= $0 ? $0 : nil
        }
    }
}

/// Decodes the messages of a connection in a packet capture.
struct PacketMessages {
    private enum Version {
        case http1(PacketHTTP1)
        case http2(PacketHTTP2)
        case lost
    }

    private let number: Int
    private var version: Version
    /// The destination, if the connection has become a tunnel through a proxy.
    var tunnel: (host: String, port: UInt16)? {
        if case .http1(let messages) = version { messages.tunnel } else { nil }
    }

    init(_ number: Int, _ connection: PacketConnection, byteCountMax: Int) {
        self.number = number
        version =
            connection.version == .http2
            ? .http2(PacketHTTP2(number, connection, byteCountMax: byteCountMax))
            : .http1(PacketHTTP1(number, connection, byteCountMax: byteCountMax))
    }

    /// Stops decoding for a reason that is reported at the end.
    mutating func lose(_ reason: String) {
        switch version {
        case .http1(var messages):
            messages.problem = messages.problem ?? reason
            version = .http1(messages)
        case .http2(var messages):
            messages.problem = messages.problem ?? reason
            version = .http2(messages)
        case .lost: break
        }
    }

    mutating func receive(
        _ bytes: [UInt8], isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        let before = version
        // Avoids copying its bytes while it is changed.
        version = .lost
        switch before {
        case .http1(var messages):
            try messages.receive(bytes, isFromClient: isFromClient, take)
            version = .http1(messages)
        case .http2(var messages):
            try messages.receive(bytes, isFromClient: isFromClient, take)
            version = .http2(messages)
        case .lost: break
        }
    }

    /// Skips bytes that are missing in the capture.
    mutating func receive(
        gap byteCount: Int, isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        let before = version
        version = .lost
        switch before {
        case .http1(var messages):
            try messages.receive(gap: byteCount, isFromClient: isFromClient, take)
            version = .http1(messages)
        case .http2(var messages):
            try messages.receive(gap: byteCount, isFromClient: isFromClient, take)
            version = .http2(messages)
        case .lost: break
        }
    }

    /// Passes on what is incomplete, unless the file is broken, and reports why nothing more could
    /// be read.
    mutating func finish(isBroken: Bool, _ take: (InterchangeReader.Entry) throws -> Void) throws {
        let problem: String?
        switch version {
        case .http1(var messages):
            try messages.finish(isBroken: isBroken, take)
            problem = messages.problem
            version = .http1(messages)
        case .http2(var messages):
            if !isBroken { try messages.finish(take) }
            problem = messages.remark
        case .lost: problem = nil
        }
        if let problem { try take(.failure(ImportProblem(problem, place: "connection \(number)"))) }
    }
}
