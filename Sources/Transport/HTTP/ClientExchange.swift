public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire

/// One request that is being sent, and its response; confined to its loop.
///
/// ```
/// connecting ──attach──▶ attached ──end, fail, cancel──▶ finished
///     │  ▲                  │
///     │  └──── repeat ──────┘   (stale kept-alive connection, nothing received)
///     └──fail, cancel──▶ finished
/// ```
public final class ClientExchange {
    public let request: OutgoingRequest
    let isExtendedConnect: Bool
    /// The connections reserved for the client connection that sent the request; nil if all of the
    /// transport's requests belong to one client.
    let affinity: ConnectionAffinity?
    /// Whether it failed without any byte of a response on a reused connection, and must not be
    /// repeated: the server may have acted on it, or may have closed the connection before it
    /// arrived.
    public private(set) var isUnanswered = false

    private struct Moments {
        var sentHead: Int64?
        var sentLast: Int64?
        var firstByte: Int64?
    }

    private enum State {
        /// Waiting for a connection; body bytes that arrived in the meantime wait too.
        case connecting(waiting: [UInt8])
        case attached(any ServerStream)
        case finished
    }

    /// The code with which the server's stream was reset; nil if it was not.
    public private(set) var resetCode: HTTP2ErrorCode?
    /// Records the HTTP/2 frames that carry it; nil if none are kept.
    let frames: FrameLog?

    /// In monotonic nanoseconds. Private, so that reading them needs no exclusivity check.
    private var moments = Moments()
    private let loop: EventLoop
    private var state: State = .connecting(waiting: [])
    private var delegate: (any ClientExchangeDelegate)?
    private(set) var isRequestComplete: Bool
    /// What has been repaired in the response so far; more repairs may follow with its body.
    public private(set) var repairs: ResponseRepairs = []
    private var refused: [UInt8] = []
    /// The trailers of a request that is complete before there is a connection.
    private var waitingTrailers: HeaderFields?
    private var isReceivingPaused = false
    /// Whether an earlier attempt to send it failed.
    private(set) var wasRepeated = false
    /// How often an upstream proxy has asked for credentials.
    var challengeCount = 0
    var cancelConnecting: (() -> Void)?

    init(
        request: consuming OutgoingRequest, affinity: ConnectionAffinity?, frames: FrameLog?,
        loop: EventLoop, delegate: any ClientExchangeDelegate
    ) {
        isRequestComplete = request.body == .none
        isExtendedConnect = request.isExtendedConnect
        self.request = request
        self.affinity = affinity
        self.frames = frames
        self.loop = loop
        self.delegate = delegate
    }

    // MARK: Moments

    /// When the head was passed to the connection, in monotonic nanoseconds.
    public var sentHeadAt: Int64? { moments.sentHead }
    /// When the last byte of the request was passed to the connection, in monotonic nanoseconds.
    public var sentLastAt: Int64? { moments.sentLast }
    /// When the first byte of the response arrived, in monotonic nanoseconds.
    public var firstByteAt: Int64? { moments.firstByte }

    // MARK: Faults

    /// Bytes that came from the server and were not passed on: the bytes around the fault of a
    /// rejected response, the received part of incomplete heads or trailers, or bytes after the end
    /// of a complete response; empty otherwise. Must be read before `cancel` is called.
    public var refusedBytes: [UInt8] {
        if refused.isEmpty, case .attached(let stream) = state { return stream.unfinishedBytes }
        return refused
    }

    func note(_ repairs: ResponseRepairs) { self.repairs = repairs }

    func noteRefused(_ bytes: [UInt8]) { refused = bytes }

    // MARK: Called by the owner

    /// Whether too many bytes wait to be sent: the owner pauses its source until
    /// `exchangeDidDrain`. Also true while there is no connection and part of the body waits.
    public var isCongested: Bool {
        switch state {
        case .connecting(let waiting): !waiting.isEmpty
        case .attached(let stream): stream.isCongested
        case .finished: false
        }
    }

    /// Sends body bytes, framed as the request's head requires.
    public func sendBody(_ bytes: Span<UInt8>) {
        guard bytes.count > 0 else { return }
        switch state {
        case .connecting(var waiting):
            state = .finished  // releases the array, so that appending does not copy it
            bytes.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
            state = .connecting(waiting: waiting)
        case .attached(let stream): stream.send(body: bytes)
        case .finished: break
        }
    }

    public func finishBody(trailers: HeaderFields?) {
        guard !isRequestComplete else { return }
        isRequestComplete = true
        switch state {
        case .connecting: waitingTrailers = trailers
        case .attached(let stream): endRequest(on: stream, trailers: trailers)
        case .finished: break
        }
    }

    /// An extended CONNECT leaves its stream open.
    private func endRequest(on stream: any ServerStream, trailers: HeaderFields?) {
        if !request.isExtendedConnect { stream.endRequest(trailers: trailers) }
        moments.sentLast = loop.now
    }

    /// Stops reading the response until `resumeReceiving` is called.
    public func pauseReceiving() {
        isReceivingPaused = true
        if case .attached(let stream) = state { stream.pauseReceiving() }
    }

    public func resumeReceiving() {
        isReceivingPaused = false
        if case .attached(let stream) = state { stream.resumeReceiving() }
    }

    /// Binds the connection that carries it to the client: the exchange contains credentials that
    /// authenticate the connection.
    public func bindConnection() {
        guard let affinity, case .attached(let stream) = state else { return }
        affinity.bind(to: request.target)
        stream.connection.bind(to: affinity)
    }

    /// Whether its connection is bound to the client and ends with this response, so that the
    /// client's connection must end too.
    public var endsBoundConnection: Bool {
        guard case .attached(let stream) = state else { return false }
        return stream.isLast && stream.connection.isBound
    }

    /// The stream on the server's connection; nil if there is none yet, or with HTTP/1.
    public var streamID: StreamID? {
        if case .attached(let stream) = state { stream.streamID } else { nil }
    }

    /// The HTTP/2 facts of the server's connection; nil if there is no connection, or with HTTP/1.
    public var http2ConnectionFacts: HTTP2ConnectionFacts? {
        if case .attached(let stream) = state { stream.connection.http2Facts } else { nil }
    }

    /// Forwards the priority of the response (RFC 9218 §7.1).
    public func send(priority value: [UInt8]) {
        if case .attached(let stream) = state { stream.send(priority: value) }
    }

    /// Cancels the exchange: an HTTP/1 connection is closed, an HTTP/2 stream is reset with the
    /// code. The delegate is not called after this.
    public func cancel(_ code: HTTP2ErrorCode = .cancel) {
        let last = state
        state = .finished
        delegate = nil
        switch last {
        case .connecting: cancelConnecting?()
        case .attached(let stream): stream.abandon(code)
        case .finished: break
        }
        cancelConnecting = nil
    }

    // MARK: Called by the connection

    /// Starts on a connection: sends the head and the bytes that waited.
    func attach(to stream: any ServerStream) {
        guard case .connecting(let waiting) = state else { return }
        state = .attached(stream)
        cancelConnecting = nil
        moments.sentHead = loop.now
        if let sent = stream.send(head: request.message) {
            delegate?.exchange(self, didSendHead: sent.bytes, notes: sent.notes)
        }
        if !waiting.isEmpty { stream.send(body: waiting.span) }
        if isRequestComplete { endRequest(on: stream, trailers: waitingTrailers) }
        if isReceivingPaused { stream.pauseReceiving() }
        let connection = stream.connection
        delegate?.exchange(self, didConnect: connection.facts, isReused: connection.isReused)
        if !waiting.isEmpty { delegate?.exchangeDidDrain(self) }
    }

    /// Waits for a connection again, to send the same head once more; body bytes that have not been
    /// sent yet keep waiting.
    func detachForRepeat() {
        wasRepeated = true
        if case .attached = state { state = .connecting(waiting: []) }
        moments.sentHead = nil
        moments.sentLast = nil
        moments.firstByte = nil
    }

    var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    func noteFirstByte() {
        if firstByteAt == nil { moments.firstByte = loop.now }
    }

    func received(informational head: ResponseHead) {
        delegate?.exchange(self, didReceiveInformational: head)
    }

    func received(_ head: ResponseHead, body: BodyLength) {
        delegate?.exchange(self, didReceive: head, body: body)
    }

    func received(body bytes: Span<UInt8>) {
        if let delegate { delegate.exchange(self, didReceiveBody: bytes) }
    }

    func received(trailers: HeaderFields) { delegate?.exchange(self, didReceiveTrailers: trailers) }

    func drained() { delegate?.exchangeDidDrain(self) }

    func switched(to stream: any DuplexStream, head: ResponseHead, early: Span<UInt8>) {
        guard let delegate = finish() else { return stream.abort() }
        delegate.exchange(self, didSwitchTo: stream, head: head, early: early)
    }

    func ended() { finish()?.exchangeDidEnd(self) }

    func failed(_ failure: ExchangeFailure) { finish()?.exchange(self, didFail: failure) }

    func failed(resetWith code: HTTP2ErrorCode) {
        resetCode = code
        failed(.streamReset(code))
    }

    func failedUnanswered(_ failure: ExchangeFailure) {
        isUnanswered = true
        failed(failure)
    }

    var key: ConnectionKey {
        affinity?.key(for: request.target) ?? ConnectionKey(target: request.target, owner: .shared)
    }

    private func finish() -> (any ClientExchangeDelegate)? {
        state = .finished
        defer { delegate = nil }
        return delegate
    }
}

/// Receives the events of a request. All calls are made on the exchange's loop, never from within a
/// call that the delegate makes to the exchange; none is made after `exchangeDidEnd` or `didFail`.
public protocol ClientExchangeDelegate: AnyObject {
    /// A connection is established and the head is being sent. Called again when the request is
    /// repeated on a new connection. `isReused` is true if the connection has carried an earlier
    /// exchange.
    func exchange(_ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool)
    /// The head of a forwarded request was sent and differs from the one that arrived. Called
    /// before `didConnect`, and again when the request is repeated.
    func exchange(_ exchange: ClientExchange, didSendHead bytes: [UInt8], notes: ForwardingNotes)
    /// An interim response arrived (RFC 9110 §15.2).
    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead)
    func exchange(_ exchange: ClientExchange, didReceive head: ResponseHead, body: BodyLength)
    /// Body bytes arrived, with transfer coding removed; the span is valid only during the call.
    func exchange(_ exchange: ClientExchange, didReceiveBody bytes: Span<UInt8>)
    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields)
    /// The server switched protocols: with 101, or with 2xx for an extended CONNECT over HTTP/2.
    /// The delegate owns the stream from here on; `early` contains the bytes that followed the
    /// head.
    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream, head: ResponseHead,
        early: Span<UInt8>)
    /// More of the request body can be sent after too many bytes had been queued.
    func exchangeDidDrain(_ exchange: ClientExchange)
    func exchangeDidEnd(_ exchange: ClientExchange)
    /// No complete response will come.
    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure)
}

extension ClientExchangeDelegate {
    public func exchange(
        _ exchange: ClientExchange, didSendHead bytes: [UInt8], notes: ForwardingNotes
    ) {}
}

/// What an exchange may know about the server connection that carries it. All exchanges of a
/// connection share one object.
public final class ConnectionFacts: Sendable {
    /// The identifier of its record; nil if connections are not recorded.
    public let id: ConnectionID?
    /// When it was established, in nanoseconds since 1970.
    public let openedAt: Int64
    public let timings: ConnectTimings
    /// The server's address and port.
    public let peerAddress: String
    /// The proxy's own address and port on this connection.
    public let localAddress: String
    /// TLS facts; nil for a plain connection.
    public let security: ConnectionRecord.Security?
    /// The name of the upstream proxy that it goes through; nil if there is none.
    public let upstream: String?

    init(of established: EstablishedConnection, id: ConnectionID?) {
        self.id = id
        openedAt = EventLoop.wallNow()
        timings = established.timings
        peerAddress = established.stream.peerAddress.description
        localAddress = established.stream.localAddress.description
        security = established.security
        upstream = established.upstream
    }
}

/// Failures of the communication with a server.
extension ExchangeFailure {
    static func malformedResponse(_ error: WireError) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .malformedResponse,
            message: "the server's response is not valid HTTP: \(error.message)")
    }

    static let closedEarly = ExchangeFailure(
        origin: .upstream, kind: .closedEarly,
        message: "the server closed the connection before the response was complete")

    public static func connectionBroke(_ error: StreamError) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .closedEarly,
            message: "the connection to the server broke: \(error)")
    }

    // MARK: Other protocols

    static let extendedConnectNotTaken = ExchangeFailure(
        origin: .upstream, kind: .refused,
        message:
            "the server does not support extended CONNECT (RFC 8441), with which the client asked "
            + "for another protocol")

    /// The server speaks HTTP/1.1, which has no way to ask for the protocol.
    static let protocolNeedsHTTP2 = ExchangeFailure(
        origin: .upstream, kind: .refused,
        message: "the server speaks HTTP/1.1, where websocket is the only protocol of "
            + "extended CONNECT that can be requested")

    static let switchedToOther = ExchangeFailure(
        origin: .upstream, kind: .malformedResponse,
        message: "the server switched to a protocol other than websocket")

    static let badWebSocketProof = ExchangeFailure(
        origin: .upstream, kind: .malformedResponse,
        message: "the server's Sec-WebSocket-Accept does not match the key that was sent")
}
