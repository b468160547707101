internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// Decodes the exchanges of HTTP/1 on a connection, in the order of its bytes.
struct PacketHTTP1 {
    private static let waitingCountMax = 1_000

    private let number: Int
    private let byteCountMax: Int
    private let connection: PacketConnection
    private var requests = RawMessageReader(RequestDecoder(limits: .captured))
    private var responses = RawMessageReader(ResponseDecoder(limits: .captured))
    /// Requests whose responses have not ended.
    private var waiting: [(order: Int, message: RawMessage<RequestHead>)] = []
    /// The size of `waiting`.
    private var waitingByteCount = 0
    private var requestCount = 0
    private var responseCount = 0
    private var isExpecting = false
    /// A whole response to a request that has not ended.
    private var early: RawMessage<ResponseHead>?
    /// Set once the connection is not HTTP any more.
    private var switched: Switched?
    /// Why nothing more can be read; nil if something can.
    var problem: String?

    private struct Switched {
        let socket: WebSocketObserver?
        let startedAt: Int64
        var messageCount: Int64 = 0
    }

    init(_ number: Int, _ connection: PacketConnection, byteCountMax: Int) {
        self.number = number
        self.byteCountMax = byteCountMax
        self.connection = connection
    }

    mutating func receive(
        _ bytes: [UInt8], isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard problem == nil else { return }
        if switched != nil {
            return try passOn(bytes[...], isFromClient: isFromClient, take)
        }
        if isFromClient {
            try takeRequests(bytes, take)
        } else {
            try takeResponses(bytes, take)
        }
    }

    private mutating func takeRequests(
        _ bytes: [UInt8], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        var offset = 0
        while let message = requests.next(bytes.span, from: &offset) {
            guard waiting.count < PacketHTTP1.waitingCountMax else {
                problem = "its responses are missing"
                return
            }
            guard message.keptByteCount <= byteCountMax - waitingByteCount else {
                problem = "requests that wait for responses are too large"
                return
            }
            wait(message)
            guard let response = early else { continue }
            early = nil
            try end(response, take)
            if switched != nil { return try passOn(bytes[offset...], isFromClient: true, take) }
        }
        if let error = requests.failure { problem = error.message }
    }

    private mutating func wait(_ message: RawMessage<RequestHead>) {
        waitingByteCount += message.keptByteCount
        waiting.append((requestCount, message))
        requestCount += 1
    }

    private mutating func takeResponses(
        _ bytes: [UInt8], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        var offset = 0
        while offset < bytes.count, switched == nil, problem == nil {
            if !isExpecting {
                // A server may answer, or ask for the body, before it has the whole request.
                guard early == nil, let head = waiting.first?.message.head ?? requests.begun else {
                    problem = "a response follows no request"
                    return
                }
                responses.prepare { $0.expectResponse(toMethod: head.method) }
                isExpecting = true
            }
            let message = responses.next(bytes.span, from: &offset)
            if let error = responses.failure { problem = error.message }
            guard let message else { return }
            try end(message, take)
        }
        if switched != nil { try passOn(bytes[offset...], isFromClient: false, take) }
    }

    /// Passes on the exchange that a response ends.
    private mutating func end(
        _ response: RawMessage<ResponseHead>, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        isExpecting = false
        guard !waiting.isEmpty else {
            early = response
            return
        }
        let request = waiting.removeFirst()
        waitingByteCount -= request.message.keptByteCount
        var exchange: Exchange
        do throws(ImportProblem) {
            exchange = try self.exchange(request.message, order: request.order)
        } catch {
            return try take(.failure(place(error)))
        }
        exchange.informational = response.interim
        exchange.response = Response(
            head: response.head, body: response.announcedBody, trailers: response.trailers)
        // Interim responses have moments of their own.
        responseCount += response.interim.count
        if responseCount < connection.responses.count {
            let at = connection.responses[responseCount]
            exchange.timeline[.responseLastByte] = max(0, at - exchange.timeline.wallStart)
            exchange.timeline[.delivered] = exchange.timeline[.responseLastByte]
        }
        responseCount += 1
        if response.opensTunnel { open(&exchange, response.head) }
        try take(.success(.exchange(ImportedExchange(exchange: exchange))))
    }

    private func exchange(
        _ message: RawMessage<RequestHead>, order: Int
    ) throws(ImportProblem) -> Exchange {
        let url = try RawURLs.url(
            message.head, scheme: connection.isEncrypted ? "https" : "http",
            address: connection.serverPlace)
        let at = connection.requests.count > order ? connection.requests[order] : nil
        var marks: ImportMarks = []
        if at == nil { marks.insert(.missingTime) }
        if !message.isWhole, !message.announcedBody.isTruncated { marks.insert(.missingBody) }
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .complete,
            request: Request(
                url: url, head: message.head, body: message.announcedBody,
                trailers: message.trailers), response: nil,
            timeline: Timeline(wallStart: at ?? connection.startedAt, start: 0))
        exchange.timeline[.requestLastByte] = 0
        exchange.timeline.connectionReused = order > 0
        (exchange.client, exchange.server) = records
        marks.apply(to: &exchange)
        return exchange
    }

    private var records: (ConnectionRecord, ConnectionRecord) { connection.records(number) }

    private func place(_ problem: ImportProblem) -> ImportProblem {
        ImportProblem(problem.message, place: "connection \(number)")
    }

    // MARK: What follows HTTP

    private mutating func open(_ exchange: inout Exchange, _ head: ResponseHead) {
        let isSocket =
            head.status == 101 && head.fields["Upgrade"]?.lowercased() == "websocket"
        if isSocket { exchange.upgradedTo = "websocket" }
        if exchange.request.head?.isClassicConnect == true { exchange.state = .tunnel }
        let agreement = try? WebSocketAgreement(
            request: exchange.request.head?.fields ?? HeaderFields(), response: head.fields)
        switched = Switched(
            socket: isSocket
                ? WebSocketObserver(agreement: agreement ?? WebSocketAgreement()) : nil,
            startedAt: exchange.timeline.wallStart)
    }

    private mutating func passOn(
        _ bytes: ArraySlice<UInt8>, isFromClient: Bool,
        _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard let socket = switched?.socket else { return }
        var messages: [MessageRecord] = []
        socket.receive(bytes.span, isFromClient ? .toServer : .toClient) {
            messages.append($0)
        }
        try pass(&messages, take)
    }

    private mutating func pass(
        _ messages: inout [MessageRecord], _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        for index in messages.indices {
            messages[index].position = switched?.messageCount ?? 0
            switched?.messageCount += 1
        }
        if !messages.isEmpty { try take(.success(.messages(messages))) }
    }

    /// Passes on the rest: a response that the end of the connection ends, and requests without
    /// responses.
    mutating func finish(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        if let socket = switched?.socket {
            var messages: [MessageRecord] = []
            socket.end { messages.append($0) }
            return try pass(&messages, take)
        }
        if isExpecting, let last = responses.finish() {
            if last.isWhole || last.announcedBody.isTruncated { try end(last, take) }
        }
        if let response = early, let request = requests.finish() {
            wait(request)
            try end(response, take)
        }
        for request in waiting {
            var exchange: Exchange
            do throws(ImportProblem) {
                exchange = try self.exchange(request.message, order: request.order)
            } catch {
                try take(.failure(place(error)))
                continue
            }
            exchange.state = .failed
            exchange.failure = ExchangeFailure(
                origin: .upstream, kind: .closedEarly, message: "no response was captured")
            try take(.success(.exchange(ImportedExchange(exchange: exchange))))
        }
        waiting = []
    }
}
