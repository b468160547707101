internal import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire

/// One request on its way and its response on its way back; confined to its loop.
///
/// ```
/// connecting ──attach──▶ attached ──end, fail, cancel──▶ finished
///     │  ▲                  │
///     │  └──── repeat ──────┘   (stale kept-alive connection, nothing received)
///     └──fail, cancel──▶ finished
/// ```
public final class ClientExchange {
    /// The request being sent.
    public let request: OutgoingRequest
    /// What belongs with the client connection that it is sent for; nil where all of the
    /// transport's requests are one client's.
    let affinity: ConnectionAffinity?
    /// Whether it failed without a byte of an answer on a connection that had served before, and
    /// may not be sent again: the server may have acted on it, or have closed before it came.
    public private(set) var isUnanswered = false

    private struct Moments {
        var sentHead: Int64?
        var sentLast: Int64?
        var firstByte: Int64?
    }

    private enum State {
        /// Waiting for a connection; body octets that came meanwhile wait too.
        case connecting(waiting: [UInt8])
        case attached(any ServerStream)
        case finished
    }

    /// What the server's stream was reset with; nil where it was not.
    public private(set) var resetCode: HTTP2ErrorCode?
    /// Where the frames of HTTP/2 that carry it are noted; nil where none are kept.
    let frames: FrameLog?

    /// Moments; monotonic nanoseconds. Private, so that reading them needs no check at run time.
    private var moments = Moments()
    private let loop: EventLoop
    private var state: State = .connecting(waiting: [])
    private var delegate: (any ClientExchangeDelegate)?
    private(set) var isRequestComplete: Bool
    /// What was mended in the response so far; more may come with its body.
    public private(set) var repairs: ResponseRepairs = []
    private var refused: [UInt8] = []
    /// Trailers of a request that is complete while no connection stands.
    private var waitingTrailers: HeaderFields?
    private var isReceivingPaused = false
    /// Whether it was sent before, in vain.
    private(set) var wasRepeated = false
    /// Gives up an attempt to connect.
    var cancelConnecting: (() -> Void)?

    init(
        request: consuming OutgoingRequest, affinity: ConnectionAffinity?, frames: FrameLog?,
        loop: EventLoop, delegate: any ClientExchangeDelegate
    ) {
        isRequestComplete = request.body == .none
        self.request = request
        self.affinity = affinity
        self.frames = frames
        self.loop = loop
        self.delegate = delegate
    }

    // MARK: Moments

    /// When the head was handed to the connection; monotonic nanoseconds.
    public var sentHeadAt: Int64? { moments.sentHead }
    /// When the request's last octet was handed to the connection.
    public var sentLastAt: Int64? { moments.sentLast }
    /// When the first octet of the response came.
    public var firstByteAt: Int64? { moments.firstByte }

    // MARK: What was wrong

    /// What came from the server and was not passed on: of a response that was refused what came
    /// around the fault, of a head or trailers that are not complete what has come of them, of a
    /// whole response what came after its end; else nothing. To be asked for before `cancel`.
    public var refusedOctets: [UInt8] {
        if refused.isEmpty, case .attached(let stream) = state { return stream.unfinishedOctets }
        return refused
    }

    func note(_ repairs: ResponseRepairs) { self.repairs = repairs }

    func noteRefused(_ octets: [UInt8]) { refused = octets }

    // MARK: What the owner may do

    /// Whether more waits to be sent than should: the owner pauses its source until
    /// `exchangeDidDrain`. So it is while no connection stands and a part of the body waits.
    public var isCongested: Bool {
        switch state {
        case .connecting(let waiting): !waiting.isEmpty
        case .attached(let stream): stream.isCongested
        case .finished: false
        }
    }

    /// Sends body octets; frames them as the request's head says.
    public func sendBody(_ octets: Span<UInt8>) {
        guard octets.count > 0 else { return }
        switch state {
        case .connecting(var waiting):
            state = .finished  // releases the array, so that appending does not copy it
            octets.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
            state = .connecting(waiting: waiting)
        case .attached(let stream): stream.send(body: octets)
        case .finished: break
        }
    }

    /// Ends the request body.
    public func finishBody(trailers: HeaderFields?) {
        guard !isRequestComplete else { return }
        isRequestComplete = true
        switch state {
        case .connecting: waitingTrailers = trailers
        case .attached(let stream): endRequest(on: stream, trailers: trailers)
        case .finished: break
        }
    }

    /// What asks for another protocol leaves its stream open.
    private func endRequest(on stream: any ServerStream, trailers: HeaderFields?) {
        if !request.isExtendedConnect { stream.endRequest(trailers: trailers) }
        moments.sentLast = loop.now
    }

    /// Stops taking response octets from the server until `resumeReceiving`.
    public func pauseReceiving() {
        isReceivingPaused = true
        if case .attached(let stream) = state { stream.pauseReceiving() }
    }

    /// Takes response octets again.
    public func resumeReceiving() {
        isReceivingPaused = false
        if case .attached(let stream) = state { stream.resumeReceiving() }
    }

    /// Makes the connection that carries it its client's alone from now on: what is said on it
    /// authenticates the connection.
    public func bindConnection() {
        guard let affinity, case .attached(let stream) = state else { return }
        affinity.bind(to: request.target)
        stream.connection.bind(to: affinity)
    }

    /// Whether its connection is its client's alone and ends with this response, so that the
    /// client's has to end, too.
    public var endsBoundConnection: Bool {
        guard case .attached(let stream) = state else { return false }
        return stream.isLast && stream.connection.isBound
    }

    /// The server's stream; nil where none stands, or with HTTP/1.
    public var streamID: StreamID? {
        if case .attached(let stream) = state { stream.streamID } else { nil }
    }

    /// What is known of the server's connection as one of HTTP/2; nil where none stands, or with
    /// HTTP/1.
    public var http2ConnectionFacts: HTTP2ConnectionFacts? {
        if case .attached(let stream) = state { stream.connection.http2Facts } else { nil }
    }

    /// Passes on how urgent the response is (RFC 9218 §7.1).
    public func send(priority value: [UInt8]) {
        if case .attached(let stream) = state { stream.send(priority: value) }
    }

    /// Gives the exchange up: with HTTP/1 its connection is closed, with HTTP/2 its stream is reset
    /// with a code. No delegate call follows.
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

    // MARK: What the connection tells

    /// Takes its place on a connection: sends the head and what waited.
    func attach(to stream: any ServerStream) {
        guard case .connecting(let waiting) = state else { return }
        state = .attached(stream)
        cancelConnecting = nil
        moments.sentHead = loop.now
        if let sent = stream.send(head: request.message) {
            delegate?.exchange(self, didSendHead: sent.octets, notes: sent.notes)
        }
        if !waiting.isEmpty { stream.send(body: waiting.span) }
        if isRequestComplete { endRequest(on: stream, trailers: waitingTrailers) }
        if isReceivingPaused { stream.pauseReceiving() }
        let connection = stream.connection
        delegate?.exchange(self, didConnect: connection.facts, isReused: connection.isReused)
        if !waiting.isEmpty { delegate?.exchangeDidDrain(self) }
    }

    /// Goes back to waiting for a connection, to send the same head again; what has waited for one
    /// in vain goes on waiting.
    func detachForRepeat() {
        wasRepeated = true
        if case .attached = state { state = .connecting(waiting: []) }
        moments.sentHead = nil
        moments.sentLast = nil
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

    func received(body octets: Span<UInt8>) {
        if let delegate { delegate.exchange(self, didReceiveBody: octets) }
    }

    func received(trailers: HeaderFields) {
        delegate?.exchange(self, didReceiveTrailers: trailers)
    }

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

    /// What finds the connections that may carry it.
    var key: ConnectionKey {
        affinity?.key(for: request.target)
            ?? ConnectionKey(target: request.target, owner: .shared)
    }

    private func finish() -> (any ClientExchangeDelegate)? {
        state = .finished
        defer { delegate = nil }
        return delegate
    }
}
