internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Decodes the HTTP/2 exchanges of a connection.
struct PacketHTTP2 {
    private struct Stream {
        var request: RawMessage<RequestHead>?
        var response: RawMessage<ResponseHead>?
        var interim: [ResponseHead] = []
        /// The side that reset it; nil if it was not reset.
        var reset: ExchangeFailure.Origin?
        /// The approximate number of bytes in memory.
        var byteCount = 0
    }

    private static let openStreamCountMax = 10_000
    private static let fillByteCount = 64 << 10

    private let number: Int
    private let byteCountMax: Int
    private let connection: PacketConnection
    private var fromClient = HTTP2MessageReader(of: .client, limits: .captured)
    private var fromServer = HTTP2MessageReader(of: .server, limits: .captured)
    private var streams: [StreamID: Stream] = [:]
    /// The size of `streams` in bytes.
    private var byteCount = 0
    /// The number of streams opened while too many were open.
    private var leftOutCount = 0
    private var isFirst = true
    /// Whether zeros are decoded in place of missing bytes.
    private var isFilling = false
    /// Why nothing more can be read; nil if more can.
    var problem: String?
    /// The number of missing bytes where the reading of a side ended; nil if it did not end.
    private var missingFromClient: Int?
    private var missingFromServer: Int?

    /// What to report at the end; nil if everything was read.
    var remark: String? {
        if let problem { return problem }
        if let count = missingFromClient ?? missingFromServer {
            let side = missingFromClient == nil ? "server" : "client"
            return "the capture lacks \(count) bytes of the \(side)'s; "
                + "what follows them in HTTP/2 is not read"
        }
        if leftOutCount == 0 { return nil }
        return "\(leftOutCount) streams were left out: "
            + "more than \(PacketHTTP2.openStreamCountMax) were open"
    }

    init(_ number: Int, _ connection: PacketConnection, byteCountMax: Int) {
        self.number = number
        self.byteCountMax = byteCountMax
        self.connection = connection
    }

    mutating func receive(
        _ bytes: [UInt8], isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard isReading(isFromClient: isFromClient) else { return }
        var offset = 0
        do {
            while true {
                let event =
                    isFromClient
                    ? try fromClient.next(bytes.span, from: &offset)
                    : try fromServer.next(bytes.span, from: &offset)
                if case .needsMoreInput = event { return }
                if let ended = self.take(event, isFromClient: isFromClient) {
                    try pass(ended, take)
                }
                guard byteCount <= byteCountMax else {
                    problem = "its open streams are too large"
                    return
                }
            }
        } catch let error as HTTP2Error {
            problem = error.message
        }
    }

    private func isReading(isFromClient: Bool) -> Bool {
        problem == nil && (isFromClient ? missingFromClient : missingFromServer) == nil
    }

    /// Bytes of bodies may be missing. A head that lacks bytes cannot be decompressed, nor can any
    /// after it, so nothing more is read from this side then.
    mutating func receive(
        gap byteCount: Int, isFromClient: Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard isReading(isFromClient: isFromClient) else { return }
        guard byteCount <= (isFromClient ? fromClient : fromServer).freeByteCount else {
            if isFromClient {
                missingFromClient = byteCount
            } else {
                missingFromServer = byteCount
            }
            return
        }
        isFilling = true
        defer { isFilling = false }
        var left = byteCount
        while left > 0 {
            let zeros = [UInt8](repeating: 0, count: min(left, PacketHTTP2.fillByteCount))
            try receive(zeros, isFromClient: isFromClient, take)
            left -= zeros.count
        }
    }

    /// Records an event; returns the stream whose exchange it ends.
    private mutating func take(_ event: HTTP2MessageReader.Event, isFromClient: Bool) -> StreamID? {
        switch event {
        case .needsMoreInput: return nil
        case .request(let id, let head, let length):
            guard streams.count < PacketHTTP2.openStreamCountMax else {
                leftOutCount += 1
                return nil
            }
            streams[id] = Stream(request: RawMessage(head: head, length: length))
            count(PacketBudget.headByteCount, id)
        case .response(let id, let head) where head.isInformational:
            streams[id]?.interim.append(head)
            count(PacketBudget.headByteCount, id)
        case .response(let id, let head):
            streams[id]?.response = RawMessage(head: head, length: .untilClose)
            count(PacketBudget.headByteCount, id)
        case .body(let id, let bytes): append(bytes, id, isFromClient: isFromClient)
        case .trailers(let id, let fields):
            if isFromClient {
                streams[id]?.request?.trailers = fields
            } else {
                streams[id]?.response?.trailers = fields
            }
        case .end(let id):
            if isFromClient {
                streams[id]?.request?.isWhole = true
            } else {
                streams[id]?.response?.isWhole = true
            }
            // A server may answer before it has the whole request.
            guard let stream = streams[id], stream.request?.isWhole == true else { return nil }
            return stream.response?.isWhole == true ? id : nil
        case .reset(let id), .malformed(let id, _):
            guard streams[id] != nil else { return nil }
            streams[id]?.reset = isFromClient ? .client : .upstream
            return id
        }
        return nil
    }

    private mutating func count(_ count: Int, _ id: StreamID) {
        guard streams[id] != nil else { return }
        streams[id]?.byteCount += count
        byteCount += count
    }

    private mutating func append(_ bytes: [UInt8], _ id: StreamID, isFromClient: Bool) {
        var keptCount = 0
        func add(_ body: inout Body) {
            body.byteCount += Int64(bytes.count)
            guard !isFilling else { return }
            let room = RawMessage<RequestHead>.bodyByteCountMax - body.kept.count
            keptCount = min(bytes.count, max(0, room))
            body.kept.append(contentsOf: bytes.prefix(keptCount))
        }
        defer { count(keptCount, id) }
        guard let index = streams.index(forKey: id) else { return }
        if isFromClient {
            if isFilling { streams.values[index].request?.lacksBytes = true }
            if var body = streams.values[index].request?.body {
                streams.values[index].request?.body = Body()
                add(&body)
                streams.values[index].request?.body = body
            }
        } else if var body = streams.values[index].response?.body {
            if isFilling { streams.values[index].response?.lacksBytes = true }
            streams.values[index].response?.body = Body()
            add(&body)
            streams.values[index].response?.body = body
        }
    }

    private mutating func pass(
        _ id: StreamID, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard let stream = streams.removeValue(forKey: id) else { return }
        byteCount -= stream.byteCount
        guard let request = stream.request else { return }
        do {
            let exchange = try exchange(id, stream, request)
            isFirst = false
            try take(.success(.exchange(ImportedExchange(exchange: exchange))))
        } catch let problem as ImportProblem {
            try take(.failure(problem.at("connection \(number)")))
        }
    }

    private func exchange(
        _ id: StreamID, _ stream: Stream, _ request: RawMessage<RequestHead>
    ) throws(ImportProblem) -> Exchange {
        let url = try connection.url(request.head)
        let moments = connection.streams[id.rawValue]
        let start = moments?.request ?? connection.startedAt
        var exchange = Exchange(
            id: ExchangeID(rawValue: 0), state: .complete,
            request: Request(
                url: url, head: request.head, body: request.announcedBody,
                trailers: request.trailers),
            response: stream.response.map {
                Response(head: $0.head, body: $0.announcedBody, trailers: $0.trailers)
            }, informational: stream.interim, timeline: Timeline(wallStart: start, start: 0))
        func set(_ moment: Moment, _ at: Int64?) {
            if let at { exchange.timeline[moment] = max(0, at - start) }
        }
        exchange.timeline[.requestFirstByte] = 0
        set(.requestLastByte, moments?.requestEnd)
        set(.responseFirstByte, moments?.response)
        set(.responseLastByte, moments?.responseEnd)
        set(.delivered, moments?.responseEnd)
        exchange.timeline.connectionReused = !isFirst
        (exchange.client, exchange.server) = connection.records(number)
        var facts = HTTP2Facts()
        facts.clientStream = id
        facts.serverStream = id
        exchange.http2 = facts
        if stream.reset != nil || stream.response?.isWhole != true {
            exchange.state = .failed
            exchange.failure =
                stream.reset.map(PacketHTTP2.failure)
                ?? ImportFault.notRecorded(
                    stream.response == nil
                        ? "no response was captured" : "the response was not captured to its end")
        }
        marks(stream, request).apply(to: &exchange)
        return exchange
    }

    private func marks(_ stream: Stream, _ request: RawMessage<RequestHead>) -> ImportMarks {
        var marks: ImportMarks = []
        if request.lacksBytes || stream.response?.lacksBytes == true { marks.insert(.missingBytes) }
        let isCut = missingFromServer != nil && stream.response?.isWhole == false
        if isCut || (missingFromClient != nil && !request.isWhole) { marks.insert(.missingBody) }
        return marks
    }

    private static func failure(_ side: ExchangeFailure.Origin) -> ExchangeFailure {
        ExchangeFailure(origin: side, kind: .closedEarly, message: "the stream was reset")
    }

    /// Passes on the exchanges that have not ended when the capture did.
    mutating func finish(_ take: (InterchangeReader.Entry) throws -> Void) throws {
        for id in streams.keys.sorted() { try pass(id, take) }
    }
}
