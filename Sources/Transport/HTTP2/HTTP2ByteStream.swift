public import ProxydEventLoops
public import ProxydHTTPModel

/// A stream of HTTP/2 as a stream of bytes: what a CONNECT opens (RFC 9113 §8.5), an extended one
/// too (RFC 8441 §5). END_STREAM ends a direction; a reset breaks both. Confined to its loop.
public final class HTTP2ByteStream: DuplexStream, DispatchEndObserver {
    /// What has opened it.
    public enum Kind: Sendable {
        /// A CONNECT: its stream stands for a connection of its own.
        case tunnel
        /// An extended CONNECT.
        case otherProtocol

        /// What the peer hears where it breaks (RFC 9113 §8.5, RFC 8441 §5).
        fileprivate var abortCode: HTTP2ErrorCode {
            switch self {
            case .tunnel: .connectError
            case .otherProtocol: .cancel
            }
        }

        /// What the peer hears where it has not ended and no one listens any more. Clients take
        /// the reset of a tunnel for a failure, so what they still send is thrown away.
        fileprivate var closeCode: HTTP2ErrorCode {
            switch self {
            case .tunnel: .noError
            case .otherProtocol: .cancel
            }
        }
    }

    private enum State {
        case open
        /// The peer has ended its direction; whether the delegate has been told.
        case ended(isTold: Bool)
        case closed
    }

    private let link: HTTP2Link
    private let id: StreamID
    private let kind: Kind
    private var state = State.open
    /// What it was reset with, by the peer, or by us as the peer broke a rule; nil if it was not.
    public private(set) var reset: (code: HTTP2ErrorCode, isOurs: Bool)?
    private var arrived: [UInt8] = []
    private var isReadingPaused = false
    private var isDispatchEndAwaited = false
    /// Called when nothing is said or heard on it any more.
    private var onClosed: (() -> Void)?

    /// A stream of a connection, whose owner hands on what it is told of it.
    public init(
        _ id: StreamID, of link: HTTP2Link, _ kind: Kind = .tunnel,
        onClosed: @escaping () -> Void
    ) {
        self.id = id
        self.link = link
        self.kind = kind
        self.onClosed = onClosed
    }

    // MARK: DuplexStream

    /// The connection's loop.
    public var loop: EventLoop { link.loop }
    /// Who is told what happens.
    public var delegate: (any DuplexStreamDelegate)? {
        didSet { if delegate != nil { deliverLater() } }
    }
    /// Bytes that wait for windows, or for their turn.
    public var queuedByteCount: Int { link.waitingByteCount(of: id) }
    /// Whether more waits than should.
    public var isCongested: Bool { link.isCongested(id) }
    /// The connection's other end.
    public var peerAddress: SocketAddress { link.stream.peerAddress }
    /// The connection's own end.
    public var localAddress: SocketAddress { link.stream.localAddress }
    /// Whether it is neither closed nor reset.
    public var isOpen: Bool { if case .closed = state { false } else { true } }

    /// Sends bytes as DATA, as soon as windows and turns allow.
    public func write(_ bytes: Span<UInt8>) { link.send(body: bytes, on: id) }

    /// The connection sends what it may when the loop's dispatch ends.
    public func flush() {}

    /// Holds back the stream's window; what has come waits.
    public func pauseReading() {
        isReadingPaused = true
        link.setReceivingPaused(id, true)
    }

    /// Goes on delivering.
    public func resumeReading() {
        isReadingPaused = false
        link.setReceivingPaused(id, false)
        deliverLater()
    }

    /// Hands out what waits.
    public func takeArrived(_ take: (Span<UInt8>) -> Void) -> Bool {
        let octets = arrived
        arrived = []
        if !octets.isEmpty { take(octets.span) }
        if case .open = state { return true }
        return false
    }

    /// Sends END_STREAM behind what waits.
    public func shutdownWriting() { link.end(id, trailers: nil) }

    /// Ends both directions; what still comes is not wanted.
    public func close() {
        switch state {
        case .open: link.end(id, trailers: nil, thenReset: kind.closeCode)
        case .ended: link.end(id, trailers: nil)
        case .closed: return
        }
        leave()
    }

    /// Resets the stream.
    public func abort() { abort(kind.abortCode) }

    /// Resets the stream with a code.
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

    // MARK: What the connection's owner hands on

    /// Bytes came.
    public func receive(_ octets: Span<UInt8>) {
        guard isOpen else { return }
        if arrived.isEmpty, !isReadingPaused, let delegate {
            delegate.stream(self, didReceive: octets)
        } else {
            octets.withUnsafeBufferPointer { arrived.append(contentsOf: $0) }
        }
    }

    /// The peer has ended its direction.
    public func receivedEnd() {
        guard case .open = state else { return }
        state = .ended(isTold: false)
        deliverLater()
    }

    /// Little waits again.
    public func drained() { delegate?.streamDidDrain(self) }

    /// The stream was reset, or its connection is gone.
    public func broke(
        _ error: StreamError, reset: (code: HTTP2ErrorCode, isOurs: Bool)? = nil
    ) {
        guard isOpen else { return }
        self.reset = reset
        let last = delegate
        leave()
        last?.stream(self, didFail: error)
    }

    // MARK: Delivery

    /// Never from within a call of the delegate's own.
    private func deliverLater() {
        guard !isDispatchEndAwaited, isOpen else { return }
        isDispatchEndAwaited = true
        loop.notifyAtDispatchEnd(self)
    }

    /// Delivers what waits.
    public func dispatchDidEnd() {
        isDispatchEndAwaited = false
        guard !isReadingPaused, let delegate else { return }
        if !arrived.isEmpty {
            let octets = arrived
            arrived = []
            delegate.stream(self, didReceive: octets.span)
        }
        guard case .ended(isTold: false) = state, !isReadingPaused, arrived.isEmpty else { return }
        state = .ended(isTold: true)
        self.delegate?.streamDidReachEnd(self, isClean: true)
    }
}
