import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire

@testable import ProxydTransport

/// A server connection of no version of HTTP, with room for several exchanges at a time. What is
/// sent on its streams is in the transcript; what comes from the server the test says.
final class FramedServer: ServerConnection {
    let name: String
    private let connection: PooledConnection
    private let transcript: Transcript
    private let loop: EventLoop
    private let streamCountMax: Int
    private var lastNumber: UInt32 = 0
    private var isGoingAway = false
    private(set) var streams: [UInt32: FramedServerStream] = [:]

    init(
        name: String, connection: PooledConnection, transcript: Transcript, loop: EventLoop,
        streamCountMax: Int
    ) {
        self.name = name
        self.connection = connection
        self.transcript = transcript
        self.loop = loop
        self.streamCountMax = streamCountMax
    }

    var room: Int { isGoingAway ? 0 : streamCountMax - streams.count }
    let isMultiplexed = true
    let http2Facts: HTTP2ConnectionFacts? = nil
    func isSilent() -> Bool { true }
    func receive(early bytes: [UInt8]) {}

    func carry(_ exchange: ClientExchange) {
        lastNumber += lastNumber == 0 ? 1 : 2
        let stream = FramedServerStream(lastNumber, self, connection, exchange, transcript)
        streams[lastNumber] = stream
        exchange.attach(to: stream)
    }

    func leaveRoom() {}

    func close() {
        transcript.note("\(name) closed")
        connection.left()
    }

    func abort() {
        transcript.note("\(name) aborted")
        connection.left()
    }

    /// A stream is over; a connection that goes away is closed with its last one.
    func ended(_ stream: FramedServerStream) {
        guard streams.removeValue(forKey: stream.number) != nil else { return }
        if isGoingAway, streams.isEmpty { close() } else { connection.exchangeEnded(now: loop.now) }
    }

    /// The server goes away: streams above `last` were not acted on, and go elsewhere.
    func goesAway(after last: UInt32) {
        isGoingAway = true
        for (number, stream) in streams.sorted(by: { $0.key < $1.key }) where number > last {
            streams.removeValue(forKey: number)
            stream.exchange.detachForRepeat()
            connection.repeatElsewhere(stream.exchange)
        }
    }
}

/// A stream of such a connection.
final class FramedServerStream: ServerStream {
    let number: UInt32
    let connection: PooledConnection
    let exchange: ClientExchange
    private let server: FramedServer
    private let transcript: Transcript
    var isCongested = false
    let isLast = false
    let unfinishedBytes: [UInt8] = []

    init(
        _ number: UInt32, _ server: FramedServer, _ connection: PooledConnection,
        _ exchange: ClientExchange, _ transcript: Transcript
    ) {
        self.number = number
        self.server = server
        self.connection = connection
        self.exchange = exchange
        self.transcript = transcript
    }

    var streamID: StreamID? { StreamID(rawValue: number) }
    private var name: String { "\(server.name)/\(number)" }

    func send(head request: borrowing ForwardedRequest) -> SentHead? {
        let path = request.url.pathText
        transcript.note("\(name) < \(request.head.method) \(path)")
        return nil
    }

    func send(body bytes: Span<UInt8>) {
        let text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        transcript.note("\(name) < \(text)")
    }

    func endRequest(trailers: HeaderFields?) { transcript.note("\(name) < end") }
    func pauseReceiving() { transcript.note("\(name) paused") }
    func resumeReceiving() { transcript.note("\(name) resumed") }

    func send(priority value: [UInt8]) { transcript.note("\(name) < priority") }

    func abandon(_ code: HTTP2ErrorCode) {
        transcript.note("\(name) < reset")
        server.ended(self)
    }

    // MARK: What the server says

    func responds(_ status: Int, _ fields: [(name: String, value: String)] = []) {
        let head = ResponseHead(status: status, reason: "", fields: HeaderFields(fields))
        exchange.received(head, body: .chunked)
    }

    func sends(_ text: String) { exchange.received(body: Array(text.utf8).span) }

    func ends() {
        server.ended(self)
        exchange.ended()
    }

    func resets() {
        server.ended(self)
        exchange.failed(
            ExchangeFailure(origin: .upstream, kind: .closedEarly, message: "stream reset"))
    }

    func drains() {
        isCongested = false
        exchange.drained()
    }
}
