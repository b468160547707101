internal import ProxydHTTPModel

/// Creates exchanges from the HTTP/1 messages of a connection, and determines their times.
struct PacketExchangeWriter {
    let number: Int
    let connection: PacketConnection
    /// Whether bytes are missing, so that tshark may not have seen all messages.
    var hasGaps = false
    /// How many of the connection's instants are used.
    private var requestMomentCount = 0
    private var responseMomentCount = 0

    init(_ number: Int, _ connection: PacketConnection) {
        self.number = number
        self.connection = connection
    }

    func problem(_ message: String) -> ImportProblem {
        ImportProblem(message, place: "connection \(number)")
    }

    // MARK: Moments

    /// When the next request ended; nil if tshark does not say.
    mutating func nextRequestMoment(_ content: PacketRequest.Content) -> Int64? {
        // tshark does not see the end of a request that lacks bytes.
        if case .message(let message) = content, message.lacksBytes { return nil }
        guard requestMomentCount < connection.requests.count else { return nil }
        defer { requestMomentCount += 1 }
        return connection.requests[requestMomentCount]
    }

    /// Skips the instants of a response that belongs to no exchange.
    mutating func pass(_ response: RawMessage<ResponseHead>) {
        _ = nextResponseMoment(response, after: 0)
    }

    private mutating func nextResponseMoment(
        _ response: RawMessage<ResponseHead>, after request: Int64
    ) -> Int64? {
        let moments = connection.responses
        // Interim responses have instants of their own.
        responseMomentCount += response.interim.count
        if response.lacksBytes { return nil }
        while hasGaps, responseMomentCount < moments.count, moments[responseMomentCount] < request {
            responseMomentCount += 1
        }
        defer { responseMomentCount += 1 }
        return responseMomentCount < moments.count ? moments[responseMomentCount] : nil
    }

    // MARK: Exchanges

    /// An exchange whose response is not in the capture.
    func unanswered(_ request: PacketRequest) -> InterchangeReader.Entry {
        entry(request) { exchange, _ in
            exchange.state = .failed
            exchange.failure =
                exchange.failure ?? ImportFault.notRecorded("no response was captured")
        }
    }

    /// An exchange whose response is not valid HTTP.
    func exchange(
        _ request: PacketRequest, refused: ResponseFault.Refusal
    ) -> InterchangeReader.Entry {
        entry(request) { exchange, _ in
            exchange.state = .failed
            exchange.responseFault = ResponseFault(refusal: refused)
            exchange.failure =
                exchange.failure
                ?? ExchangeFailure(
                    origin: .upstream, kind: .malformedResponse, message: refused.reason)
        }
    }

    mutating func exchange(
        _ request: PacketRequest, _ response: RawMessage<ResponseHead>
    ) -> InterchangeReader.Entry {
        let at = nextResponseMoment(response, after: request.at ?? 0)
        return entry(request) { exchange, marks in
            exchange.informational = response.interim
            exchange.response = Response(
                head: response.head, body: response.announcedBody, trailers: response.trailers)
            if let at {
                let offset = max(0, at - exchange.timeline.wallStart)
                exchange.timeline[.responseLastByte] = offset
                exchange.timeline[.delivered] = offset
            }
            PacketExchangeWriter.mark(response, &marks)
            if !response.isWhole, !response.announcedBody.isTruncated, exchange.failure == nil {
                exchange.state = .failed
                exchange.failure = ImportFault.notRecorded(
                    "the response was not captured to its end")
            }
        }
    }

    private func entry(
        _ request: PacketRequest, _ complete: (inout Exchange, inout ImportMarks) -> Void
    ) -> InterchangeReader.Entry {
        var marks: ImportMarks = []
        if request.at == nil { marks.insert(.missingTime) }
        do throws(ImportProblem) {
            var imported = ImportedExchange(exchange: exchange(request, &marks))
            if imported.exchange.request.head == nil {
                switch request.content {
                case .message(let message): imported.malformedHead = message.head.bytes
                case .malformed(let bytes): imported.malformedHead = bytes
                }
            }
            imported = try imported.checked()
            complete(&imported.exchange, &marks)
            marks.apply(to: &imported.exchange)
            return .success(.exchange(imported))
        } catch {
            return .failure(problem(error.message))
        }
    }

    private func exchange(_ request: PacketRequest, _ marks: inout ImportMarks) -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .complete, request: Request(url: nil, head: nil),
            response: nil,
            timeline: Timeline(wallStart: request.at ?? connection.startedAt, start: 0))
        switch request.content {
        case .message(let message):
            let url = try? connection.url(message.head)
            exchange.request = Request(
                url: url, head: url == nil ? nil : message.head, body: message.announcedBody,
                trailers: message.trailers)
            PacketExchangeWriter.mark(message, &marks)
            if url == nil { refuse(&exchange, "the request names no server") }
        case .malformed: refuse(&exchange, "the request is not valid HTTP")
        }
        exchange.timeline[.requestLastByte] = 0
        exchange.timeline.connectionReused = request.order > 0
        (exchange.client, exchange.server) = connection.records(number)
        return exchange
    }

    private func refuse(_ exchange: inout Exchange, _ reason: String) {
        exchange.state = .failed
        exchange.failure = ExchangeFailure(
            origin: .client, kind: .malformedRequest, message: reason)
    }

    private static func mark<Head>(_ message: RawMessage<Head>, _ marks: inout ImportMarks) {
        if message.lacksBytes { marks.insert(.missingBytes) }
        if !message.isWhole, !message.announcedBody.isTruncated { marks.insert(.missingBody) }
    }
}

/// A captured request that waits for its response.
struct PacketRequest {
    enum Content {
        case message(RawMessage<RequestHead>)
        /// Bytes that are not a valid request.
        case malformed([UInt8])
    }

    /// Its position among the requests of its connection.
    let order: Int
    let content: Content
    /// When it ended, in nanoseconds since 1970; nil if unknown.
    let at: Int64?

    var method: HTTPMethod {
        switch content {
        case .message(let message): message.head.method
        case .malformed(let bytes): bytes.starts(with: "HEAD ".utf8) ? .head : .get
        }
    }

    /// The approximate number of bytes in memory.
    var keptByteCount: Int {
        switch content {
        case .message(let message): message.keptByteCount
        case .malformed(let bytes): bytes.count + PacketBudget.headByteCount
        }
    }
}
