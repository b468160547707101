internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// What follows HTTP on a captured connection: the messages of a WebSocket, or the content of a
/// tunnel, which is decoded if it is HTTP.
struct PacketTunnel {
    private enum Content {
        /// Nothing has arrived yet.
        case unknown
        case socket(WebSocketObserver, messageCount: Int64)
        /// An array, because messages contain tunnels.
        case messages([PacketMessages])
        case opaque
    }

    /// How many nested tunnels are read.
    private static let depthMax = 4

    /// The destination; nil if it is not a tunnel through a proxy.
    let place: (host: String, port: UInt16)?
    private let number: Int
    private let connection: PacketConnection
    private let byteCountMax: Int
    private var content: Content
    /// The exchange that opened it, until its bytes are counted.
    private var opening: ImportedExchange?

    /// Passes on the exchange that opened a WebSocket, which its messages follow.
    init(
        _ number: Int, _ connection: PacketConnection, _ opening: ImportedExchange,
        byteCountMax: Int, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        self.number = number
        self.connection = connection
        self.byteCountMax = byteCountMax
        var opening = opening
        let fields = opening.exchange.response?.head.fields ?? HeaderFields()
        if opening.exchange.request.head?.isClassicConnect == true,
            let url = opening.exchange.request.url
        {
            place = (url.host, url.port)
            opening.exchange.state = .tunnel
            // What follows shows that there is a tunnel, even without the answer.
            opening.exchange.failure = nil
            self.opening = opening
            content = .unknown
            return
        }
        place = nil
        content = .opaque
        if opening.exchange.response?.head.status == 101,
            fields["Upgrade"]?.lowercased() == "websocket"
        {
            opening.exchange.upgradedTo = "websocket"
            let agreement = try? WebSocketAgreement(
                request: opening.exchange.request.head?.fields ?? HeaderFields(), response: fields)
            content = .socket(
                WebSocketObserver(agreement: agreement ?? WebSocketAgreement()), messageCount: 0)
        }
        try take(.success(.exchange(opening)))
    }

    mutating func receive(
        _ bytes: ArraySlice<UInt8>, isFromClient: Bool,
        _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard !bytes.isEmpty else { return }
        count(bytes.count, isFromClient: isFromClient)
        if case .unknown = content { begin(Array(bytes), isFromClient: isFromClient) }
        switch content {
        case .unknown, .opaque: break
        case .socket(let socket, _):
            var messages: [MessageRecord] = []
            socket.receive(bytes.span, isFromClient ? .toServer : .toClient) { messages.append($0) }
            try pass(&messages, take)
        case .messages(var inner):
            content = .opaque
            try inner[0].receive(Array(bytes), isFromClient: isFromClient, take)
            content = .messages(inner)
        }
    }

    mutating func receive(
        gap byteCount: Int, isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        count(byteCount, isFromClient: isFromClient)
        switch content {
        case .unknown, .opaque: content = .opaque
        case .socket(let socket, _):
            var messages: [MessageRecord] = []
            socket.end { messages.append($0) }
            messages.append(
                MessageRecord(
                    position: 0, direction: isFromClient ? .toServer : .toClient, kind: .invalid,
                    offsetNs: 0, byteCount: 0, content: .bytes([]),
                    problem: "the capture lacks \(byteCount) bytes; what follows is not read"))
            try pass(&messages, take)
            content = .opaque
        case .messages(var inner):
            content = .opaque
            try inner[0].receive(gap: byteCount, isFromClient: isFromClient, take)
            content = .messages(inner)
        }
    }

    /// Passes on the exchange that opened a tunnel, and unfinished ones in it.
    mutating func finish(isBroken: Bool, _ take: (InterchangeReader.Entry) throws -> Void) throws {
        if let opening {
            self.opening = nil
            try take(.success(.exchange(opening)))
        }
        switch content {
        case .unknown, .opaque: break
        case .socket(let socket, _):
            var messages: [MessageRecord] = []
            socket.end { messages.append($0) }
            try pass(&messages, take)
        case .messages(var inner): try inner[0].finish(isBroken: isBroken, take)
        }
        content = .opaque
    }

    // MARK: Content

    /// In HTTP the client speaks first; TLS is read separately.
    private mutating func begin(_ bytes: [UInt8], isFromClient: Bool) {
        content = .opaque
        guard isFromClient, let place, connection.depth < PacketTunnel.depthMax else { return }
        if StartLines.isPreface(bytes) {
            begin(connection.inside(place, .http2))
        } else if StartLines.isRequest(bytes[...]) {
            begin(connection.inside(place, .http11))
        }
    }

    private mutating func begin(_ inner: PacketConnection) {
        content = .messages([PacketMessages(number, inner, byteCountMax: byteCountMax)])
    }

    private mutating func count(_ byteCount: Int, isFromClient: Bool) {
        if isFromClient {
            opening?.exchange.request.body.byteCount += Int64(byteCount)
        } else {
            opening?.exchange.response?.body.byteCount += Int64(byteCount)
        }
    }

    private mutating func pass(
        _ messages: inout [MessageRecord], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard case .socket(let socket, var messageCount) = content else { return }
        for index in messages.indices {
            messages[index].position = messageCount
            messageCount += 1
        }
        content = .socket(socket, messageCount: messageCount)
        if !messages.isEmpty { try take(.success(.messages(messages))) }
    }
}

/// What a client sent after a CONNECT before the answer: it belongs to a tunnel or, if the proxy
/// refuses, is more requests.
struct EarlyTunnelData {
    enum Piece {
        case bytes([UInt8])
        /// Bytes that are missing in the capture.
        case gap(Int)
    }

    private(set) var pieces: [Piece] = []
    /// The size of `pieces` in bytes.
    private(set) var byteCount = 0
    /// Whether the answer is missing in the capture.
    var lacksAnswer = false

    mutating func append(_ piece: Piece) {
        if case .bytes(let bytes) = piece {
            guard !bytes.isEmpty else { return }
            byteCount += bytes.count
        }
        pieces.append(piece)
    }

    /// Whether this must be in a tunnel, because a client that was refused would ask again; nil
    /// before anything has arrived.
    var isTunnel: Bool? {
        switch pieces.first {
        case nil: nil
        case .gap?: false
        case .bytes(let bytes)?: !bytes.starts(with: "CONNECT ".utf8)
        }
    }
}

/// Finds where HTTP/1 messages may start after a gap.
enum StartLines {
    private static let version = Array("HTTP/1.".utf8)
    /// The preface of HTTP/2 (RFC 9113 §3.4), as far as it is a line.
    private static let preface = Array("PRI * HTTP/2.0".utf8)
    private static let methodByteCountMax = 24

    /// The place of the next line that is a request line, or may become one with the next piece;
    /// nil if there is none.
    static func request(in bytes: [UInt8], from offset: Int) -> Int? {
        var start = offset
        while start < bytes.count {
            if isRequest(bytes[start...]) { return start }
            guard let end = bytes[start...].firstIndex(of: 0x0A) else { return nil }
            start = end + 1
        }
        return nil
    }

    /// The place of the next such line after this place.
    static func request(in bytes: [UInt8], after offset: Int) -> Int? {
        let end = bytes[min(offset, bytes.count)...].firstIndex(of: 0x0A)
        return end.flatMap { request(in: bytes, from: $0 + 1) }
    }

    /// The place of the next status line; nil if there is none. It need not start a line: a body
    /// may end before it.
    static func response(in bytes: [UInt8], from offset: Int) -> Int? {
        var start = offset
        while let found = bytes[min(start, bytes.count)...].firstIndex(of: version[0]) {
            if isResponse(bytes[found...]) { return found }
            start = found + 1
        }
        return nil
    }

    static func isPreface(_ bytes: [UInt8]) -> Bool { bytes.starts(with: preface) }

    /// Whether a request may start here: `METHOD SP target SP HTTP/1.x`, or the start of it.
    static func isRequest(_ bytes: ArraySlice<UInt8>) -> Bool {
        let line = bytes.prefix { $0 != 0x0A }
        let method = line.prefix { 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D }
        guard 1...methodByteCountMax ~= method.count,
            line.dropFirst(method.count).first == 0x20
        else { return false }
        let isCut = line.endIndex == bytes.endIndex
        if isCut { return method.allSatisfy { 0x41...0x5A ~= $0 } }
        let text = line.last == 0x0D ? line.dropLast() : line
        return text.dropLast().suffix(version.count).elementsEqual(version)
    }

    /// Whether a client may have meant these bytes as a request, although they are invalid: a line
    /// of words that ends in a version, or one with only a method and a path (HTTP/0.9).
    static func isInvalidRequest(_ bytes: [UInt8]) -> Bool {
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        guard line.count < bytes.count, line.allSatisfy({ 0x20...0x7E ~= $0 }) else { return false }
        let words = line.split(separator: 0x20)
        guard let method = words.first, words.count >= 2 else { return false }
        if words.count == 2, words[1].first == UInt8(ascii: "/") {
            return method.allSatisfy { 0x41...0x5A ~= $0 }
        }
        return words.last?.starts(with: "HTTP/".utf8) == true
    }

    private static func isResponse(_ bytes: ArraySlice<UInt8>) -> Bool {
        let line = Array(bytes.prefix(13))
        return line.count == 13 && line.starts(with: version) && digit(line[7]) && line[8] == 0x20
            && line[9...11].allSatisfy(digit) && [0x20, 0x0D, 0x0A].contains(line[12])
    }

    private static func digit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
