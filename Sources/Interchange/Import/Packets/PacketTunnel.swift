internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// What follows HTTP on a connection of a packet capture: the messages of a WebSocket, or what a
/// tunnel carries, which is decoded if it is HTTP.
struct PacketTunnel {
    private enum Content {
        /// Nothing has passed yet.
        case unknown
        case socket(WebSocketObserver, messageCount: Int64)
        /// In a list, because messages have tunnels.
        case messages([PacketMessages])
        case opaque
    }

    /// How many tunnels inside each other are read.
    private static let depthMax = 4

    /// Where it leads; nil if it is no tunnel through a proxy.
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
            socket.receive(bytes.span, isFromClient ? .toServer : .toClient) {
                messages.append($0)
            }
            try pass(&messages, take)
        case .messages(var inner):
            content = .opaque
            try inner[0].receive(Array(bytes), isFromClient: isFromClient, take)
            content = .messages(inner)
        }
    }

    /// Passes over bytes that the capture does not have.
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

    /// Passes on the exchange that opened a tunnel, and what has not ended in it.
    mutating func finish(
        isBroken: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
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

    /// In HTTP the client speaks first; TLS is read on its own.
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
