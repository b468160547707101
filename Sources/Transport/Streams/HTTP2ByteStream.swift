public import ProxydEventLoops
public import ProxydHTTPModel

/// An HTTP/2 stream used as a stream of bytes, as opened by CONNECT (RFC 9113 §8.5) or extended
/// CONNECT (RFC 8441 §5). END_STREAM ends a direction; a reset breaks both. Confined to its loop.
public final class HTTP2ByteStream: DuplexStream, DispatchEndObserver {
    /// The request that opened the stream.
    public enum Kind: Sendable {
        /// A CONNECT: its stream takes the place of a TCP connection.
        case tunnel
        case otherProtocol

        /// The reset code if the stream breaks (RFC 9113 §8.5, RFC 8441 §5).
        fileprivate var abortCode: HTTP2ErrorCode {
            switch self {
            case .tunnel: .connectError
            case .otherProtocol: .cancel
            }
        }

        /// The reset code if the stream is closed before the peer has ended it. Clients treat the
        /// reset of a tunnel as a failure, so NO_ERROR tells them that what they still send is
        /// dropped.
        fileprivate var closeCode: HTTP2ErrorCode {
            switch self {
            case .tunnel: .noError
            case .otherProtocol: .cancel
            }
        }
    }

    private enum State {
        case open
        /// The peer has ended its direction; `isTold` is true once the delegate knows.
        case ended(isTold: Bool)
        case closed
    }

    private let link: HTTP2Link
    private let id: StreamID
    private let kind: Kind
    private var state = State.open
    /// The code of the reset, by the peer, or by the proxy because the peer broke a rule; nil if it
    /// was not reset.
    public private(set) var reset: (code: HTTP2ErrorCode, isOurs: Bool)?
    private var arrived: [UInt8] = []
    private var isReadingPaused = false
    private var isDispatchEndAwaited = false
    /// Called once both directions have ended.
    private var onClosed: (() -> Void)?

    /// Creates a byte stream for a stream of a connection, whose owner forwards the stream's events
    /// to it.
    public init(
        _ id: StreamID, of link: HTTP2Link, _ kind: Kind = .tunnel, onClosed: @escaping () -> Void
    ) {
        self.id = id
        self.link = link
        self.kind = kind
        self.onClosed = onClosed
    }

    // MARK: DuplexStream

    public var loop: EventLoop { link.loop }
    public var delegate: (any DuplexStreamDelegate)? {
        didSet { if delegate != nil { deliverLater() } }
    }
    /// The number of bytes that wait for flow-control windows, or for their turn.
    public var queuedByteCount: Int { link.waitingByteCount(of: id) }
    /// Whether too many bytes wait to be sent.
    public var isCongested: Bool { link.isCongested(id) }
    public var peerAddress: SocketAddress { link.stream.peerAddress }
    public var localAddress: SocketAddress { link.stream.localAddress }
    /// Whether it is neither closed nor reset.
    public var isOpen: Bool { if case .closed = state { false } else { true } }

    /// Sends bytes as DATA frames, as soon as windows and scheduling allow.
    public func write(_ bytes: Span<UInt8>) { link.send(body: bytes, on: id) }

    /// Does nothing: the connection sends what it may when the loop's dispatch ends.
    public func flush() {}

    /// Does nothing: the connection's bytes are not the stream's alone.
    public func acknowledge() {}

    /// Stops sending WINDOW_UPDATE for the stream; received bytes wait.
    public func pauseReading() {
        isReadingPaused = true
        link.setReceivingPaused(id, true)
    }

    /// Resumes delivery and WINDOW_UPDATE.
    public func resumeReading() {
        isReadingPaused = false
        link.setReceivingPaused(id, false)
        deliverLater()
    }

    /// Passes the waiting bytes to `take`; returns whether the stream is still open in both
    /// directions.
    public func takeArrived(_ take: (Span<UInt8>) -> Void) -> Bool {
        let bytes = arrived
        arrived = []
        if !bytes.isEmpty { take(bytes.span) }
        if case .open = state { return true }
        return false
    }

    /// Sends END_STREAM after the waiting bytes.
    public func shutdownWriting() { link.end(id, trailers: nil) }

    /// Ends both directions; bytes that still arrive are dropped.
    public func close() {
        switch state {
        case .open: link.end(id, trailers: nil, thenReset: kind.closeCode)
        case .ended: link.end(id, trailers: nil)
        case .closed: return
        }
        leave()
    }

    /// Resets the stream with the code for its kind.
    public func abort() { abort(kind.abortCode) }

    public func abort(_ code: HTTP2ErrorCode) {
        guard isOpen else { return }
        link.reset(id, code)
        leave()
    }

    private func leave() {
        state = .closed
        delegate = nil
        arrived = []
        onClosed?()
        onClosed = nil
    }

    // MARK: Called by the connection's owner

    public func receive(_ bytes: Span<UInt8>) {
        guard isOpen else { return }
        if arrived.isEmpty, !isReadingPaused, let delegate {
            delegate.stream(self, didReceive: bytes)
        } else {
            bytes.withUnsafeBufferPointer { arrived.append(contentsOf: $0) }
        }
    }

    public func receivedEnd() {
        guard case .open = state else { return }
        state = .ended(isTold: false)
        deliverLater()
    }

    public func drained() { delegate?.streamDidDrain(self) }

    /// The stream was reset, or its connection has ended.
    public func broke(_ error: StreamError, reset: (code: HTTP2ErrorCode, isOurs: Bool)? = nil) {
        guard isOpen else { return }
        self.reset = reset
        let last = delegate
        leave()
        last?.stream(self, didFail: error)
    }

    // MARK: Delivery

    /// Delivers at the end of the dispatch, never from within a call that the delegate makes.
    private func deliverLater() {
        guard !isDispatchEndAwaited, isOpen else { return }
        isDispatchEndAwaited = true
        loop.notifyAtDispatchEnd(self)
    }

    /// Delivers the waiting bytes, and then the end.
    public func dispatchDidEnd() {
        isDispatchEndAwaited = false
        guard !isReadingPaused, let delegate else { return }
        if !arrived.isEmpty {
            let bytes = arrived
            arrived = []
            delegate.stream(self, didReceive: bytes.span)
        }
        guard case .ended(isTold: false) = state, !isReadingPaused, arrived.isEmpty else { return }
        state = .ended(isTold: true)
        self.delegate?.streamDidReachEnd(self, isClean: true)
    }
}
