internal import ProxydEventLoops
internal import ProxydHTTPModel

/// A client's stream whose bytes are paced in both directions. The protocols above it, TLS or HTTP,
/// do not notice. Confined to its loop.
///
/// ```
/// client ──▶ base ──▶ upstream, pace ──▶ delegate
/// client ◀── base ◀── pace, downstream ◀── write
/// ```
final class PacedStream: DuplexStream, DuplexStreamDelegate, DispatchEndObserver, Supervised {
    private enum State {
        case open
        /// Its owner has closed it; written bytes are still being sent.
        case closing
        /// Why not all written bytes passed the pace; nil if they did.
        case closed(ExchangeFailure?)
    }

    private enum PeerEnd {
        case none
        /// The end has arrived, but the delegate has not been told.
        case untold(isClean: Bool)
        case told
    }

    let base: any DuplexStream
    private let pace: any PaceActor
    private let connection: ClientConnection
    private var state = State.open
    private var peerEnd = PeerEnd.none
    private var isReadingPaused = false
    private var isWriteEnded = false
    private var isDispatchEndAwaited = false
    /// Bytes that passed the pace and wait, because the delegate is missing or paused.
    private var arrived: [UInt8] = []
    /// Called when written bytes have passed the pace, or with a failure if they never will.
    private var settling: [(ExchangeFailure?) -> Void] = []
    /// Its index in the registry while it still sends after its owner has left.
    var registryIndex = -1

    private lazy var upstream = PacedFlow(
        pace, .upstream, on: loop, note: { [connection] in connection.noteEnding($0) },
        deliver: { [weak self] in self?.deliver($0) },
        setPaused: { [weak self] isPaused in
            if isPaused { self?.base.pauseReading() } else { self?.readOn() }
        },
        breakOff: { [weak self] in self?.breakOff($0, $1) })
    private lazy var downstream = PacedFlow(
        pace, .downstream, on: loop, note: { [connection] in connection.noteEnding($0) },
        deliver: { [weak self] in self?.base.write($0) },
        setPaused: { [weak self] isPaused in if !isPaused { self?.tellOfRoom() } },
        breakOff: { [weak self] in self?.breakOff($0, $1) })

    var delegate: (any DuplexStreamDelegate)? { didSet { if delegate != nil { deliverLater() } } }

    /// Creates a paced stream over a connection's stream; if the pace ends the connection, the
    /// connection is notified.
    init(_ base: any DuplexStream, of connection: ClientConnection, at pace: any PaceActor) {
        self.base = base
        self.connection = connection
        self.pace = pace
        connection.pacedStream = self
    }

    func start() { base.delegate = self }

    var loop: EventLoop { base.loop }
    var queuedByteCount: Int { downstream.waitingCount + base.queuedByteCount }
    var isCongested: Bool { downstream.isPaused || base.isCongested }
    var peerAddress: SocketAddress { base.peerAddress }
    var localAddress: SocketAddress { base.localAddress }
    var isOpen: Bool { if case .open = state { base.isOpen } else { false } }
    var isWaiting: Bool { upstream.isWaiting || downstream.isWaiting }

    // MARK: From the client

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        if case .open = state { upstream.push(bytes) }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        guard case .open = state else { return }
        upstream.whenForwarded { [weak self] in
            self?.peerEnd = .untold(isClean: isClean)
            self?.tellEnd()
        }
    }

    private func deliver(_ bytes: Span<UInt8>) {
        if let delegate, !isReadingPaused, arrived.isEmpty {
            return delegate.stream(self, didReceive: bytes)
        }
        bytes.withUnsafeBufferPointer { arrived.append(contentsOf: $0) }
        base.pauseReading()
    }

    func pauseReading() {
        isReadingPaused = true
        base.pauseReading()
    }

    func resumeReading() {
        isReadingPaused = false
        deliverLater()
        readOn()
    }

    /// Resumes reading, unless bytes wait for the delegate or for the pace.
    private func readOn() {
        guard isOpen, !isReadingPaused, arrived.isEmpty, !upstream.isPaused else { return }
        base.resumeReading()
    }

    func watchForEnd() { base.watchForEnd() }

    func streamPeerDidEnd(_ stream: any DuplexStream) { delegate?.streamPeerDidEnd(self) }

    func takeArrived(_ take: (Span<UInt8>) -> Void) -> Bool {
        let bytes = arrived
        arrived = []
        if !bytes.isEmpty { take(bytes.span) }
        if case .none = peerEnd { return isOpen }
        return false
    }

    /// Delivers at the end of the dispatch, never from within a call that the delegate makes.
    private func deliverLater() {
        var hasUntold = !arrived.isEmpty
        if case .untold = peerEnd { hasUntold = true }
        guard hasUntold, !isDispatchEndAwaited else { return }
        isDispatchEndAwaited = true
        loop.notifyAtDispatchEnd(self)
    }

    func dispatchDidEnd() {
        isDispatchEndAwaited = false
        guard isOpen, !isReadingPaused, let delegate else { return }
        let bytes = arrived
        arrived = []
        if !bytes.isEmpty { delegate.stream(self, didReceive: bytes.span) }
        readOn()
        tellEnd()
    }

    private func tellEnd() {
        guard case .untold(let isClean) = peerEnd, isOpen, !isReadingPaused, arrived.isEmpty,
            let delegate
        else { return }
        peerEnd = .told
        delegate.streamDidReachEnd(self, isClean: isClean)
    }

    // MARK: To the client

    func write(_ bytes: Span<UInt8>) {
        guard isOpen, !isWriteEnded, !bytes.isEmpty else { return }
        downstream.push(bytes)
    }

    func flush() { base.flush() }

    func acknowledge() { base.acknowledge() }

    func streamDidDrain(_ stream: any DuplexStream) { tellOfRoom() }

    private func tellOfRoom() {
        if isOpen, !isCongested { delegate?.streamDidDrain(self) }
    }

    func shutdownWriting() {
        guard isOpen, !isWriteEnded else { return }
        isWriteEnded = true
        whenDelivered { [base] in base.shutdownWriting() }
    }

    /// Calls `proceed` when all written bytes have passed the pace: immediately if none wait.
    func whenDelivered(_ proceed: @escaping () -> Void) { downstream.whenForwarded(proceed) }

    /// Calls `end` when all written bytes have passed the pace, or with the reason if they never
    /// will. Until then, the proxy does not stop.
    func whenSettled(_ end: @escaping (ExchangeFailure?) -> Void) {
        if case .closed(let failure) = state { return end(failure) }
        guard downstream.isWaiting else { return end(nil) }
        settling.append(end)
        supervise()
        downstream.whenForwarded { [weak self] in
            guard let self else { return }
            // What was written first passes the pace first.
            let first = settling.removeFirst()
            first(nil)
            superviseNoMore()
        }
    }

    // MARK: Endings

    /// Closes the stream after all written bytes were sent.
    func close() {
        guard case .open = state else { return }
        state = .closing
        delegate = nil
        arrived = []
        upstream.cancel()
        if downstream.isWaiting { supervise() }
        whenDelivered { [self] in
            guard case .closing = state else { return }
            state = .closed(nil)
            superviseNoMore()
            base.close()
        }
    }

    func abort() {
        if case .closed = state { return }
        leave(.clientClosed)
        base.abort()
    }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        let last = delegate
        leave(.clientClosed)
        last?.stream(self, didFail: error)
    }

    private func leave(_ failure: ExchangeFailure) {
        state = .closed(failure)
        delegate = nil
        arrived = []
        upstream.cancel()
        downstream.cancel()
        let unsettled = settling
        settling = []
        for end in unsettled { end(failure) }
        superviseNoMore()
    }

    /// The pace ends the connection: the delegate is told that it broke, and the reason is kept.
    private func breakOff(_ end: ExchangeEnd, _ failure: ExchangeFailure) {
        connection.noteEnding(because: failure)
        let last = delegate
        leave(failure)
        switch end {
        case .close: base.close()
        case .reset: base.abort()
        }
        last?.stream(self, didFail: StreamError(kind: .reset, message: failure.message))
    }

    // MARK: Supervised

    /// Joins the connections that must end before the proxy stops.
    private func supervise() {
        guard registryIndex < 0, connection.clients.hasRoom(atMost: .max) else { return }
        connection.clients.add(self)
    }

    private func superviseNoMore() {
        if case .closing = state { return }
        if settling.isEmpty { connection.clients.remove(self) }
    }

    var deadline: Int64 { .max }
    var idleSince: Int64? { nil }

    func deadlinePassed(now: Int64) {}

    func drain() {}

    func terminate(_ reason: TerminationReason) {
        if case .closed = state { return }
        let failure = ExchangeFailure.terminated(reason)
        connection.noteEnding(because: failure)
        let last = delegate
        leave(failure)
        base.abort()
        last?.stream(self, didFail: StreamError(kind: .reset, message: failure.message))
    }
}
