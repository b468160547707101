public import ProxydEventLoops
internal import FuzzSupport

/// A stream without a socket: a script says what comes from the peer and whether it reads, and
/// what is written can be looked at. Like a socket it delivers nothing while reading is paused.
public final class FuzzStream: DuplexStream {
    /// How a stream came to its end.
    public enum Ending: Sendable {
        /// By its owner, in good order.
        case closed
        /// By its owner, with a reset.
        case aborted
        /// By the peer, with a reset.
        case failed
    }

    private enum PeerEnd { case none, coming(isClean: Bool), told }

    /// The most that an owner may write to a peer that does not read: the watermark at which it
    /// is told, what one read brings, and heads and chunk headers.
    private static let congestedByteCountMax = 3 * StreamWatermarks.highByteCount

    /// The loop it belongs to.
    public let loop: EventLoop
    /// Its owner.
    public var delegate: (any DuplexStreamDelegate)?
    /// An address of this machine.
    public let peerAddress: SocketAddress
    /// An address of this machine.
    public let localAddress = SocketAddress(ipv4: 0x7F00_0001, port: 8080)
    /// Bytes that wait for a peer that does not read.
    public private(set) var queuedByteCount = 0
    /// Whether they are too many.
    public private(set) var isCongested = false
    /// Every byte that was written.
    public private(set) var written: [UInt8] = []
    /// Every byte that was delivered to the owner.
    public private(set) var delivered: [UInt8] = []
    /// How it ended; nil while it is open.
    public private(set) var ending: Ending?
    /// Whether the owner has ended its direction.
    public private(set) var hasShutDown = false
    private var isReadingPaused = false
    private var isPeerReading = true
    private var incoming: [[UInt8]] = []
    /// How many of `incoming` were delivered; taking each from the front would move all others.
    private var deliveredPieceCount = 0
    private var peerEnd = PeerEnd.none

    /// A stream whose peer has a port on this machine.
    public init(loop: EventLoop, peerPort: UInt16) {
        self.loop = loop
        peerAddress = SocketAddress(ipv4: 0x7F00_0001, port: peerPort)
    }

    // MARK: The owner's side

    /// Whether nobody has ended it.
    public var isOpen: Bool { ending == nil }

    /// Keeps bytes as written.
    public func write(_ bytes: Span<UInt8>) {
        guard isOpen, !hasShutDown else { return }
        bytes.withUnsafeBufferPointer { written.append(contentsOf: $0) }
        guard !isPeerReading else { return }
        queuedByteCount += bytes.count
        if queuedByteCount > StreamWatermarks.highByteCount { isCongested = true }
        require(
            queuedByteCount <= FuzzStream.congestedByteCountMax,
            "\(queuedByteCount) bytes wait for a peer that does not read")
    }

    /// Nothing is held back.
    public func flush() {}

    /// Does nothing: there is no socket.
    public func acknowledge() {}

    /// Delivers nothing any more.
    public func pauseReading() { isReadingPaused = true }

    /// Delivers again, when the script goes on.
    public func resumeReading() { isReadingPaused = false }

    /// Hands over all that has come.
    public func takeArrived(_ take: (Span<UInt8>) -> Void) -> Bool {
        for piece in incoming[deliveredPieceCount...] {
            delivered += piece
            take(piece.span)
        }
        forgetIncoming()
        if case .none = peerEnd { return isOpen }
        return false
    }

    /// Ends the owner's direction.
    public func shutdownWriting() { hasShutDown = true }

    /// Ends it in good order.
    public func close() { end(.closed) }

    /// Ends it with a reset.
    public func abort() { end(.aborted) }

    private func end(_ how: Ending) {
        guard isOpen else { return }
        ending = how
        delegate = nil
        forgetIncoming()
    }

    private func forgetIncoming() {
        incoming = []
        deliveredPieceCount = 0
    }

    // MARK: The peer's side

    /// The peer sends bytes, which arrive in pieces.
    public func receive(_ pieces: [[UInt8]]) {
        if isOpen, case .none = peerEnd { incoming += pieces }
    }

    /// The peer ends its direction behind what it has sent.
    public func receiveEnd(isClean: Bool) {
        if case .none = peerEnd { peerEnd = .coming(isClean: isClean) }
    }

    /// The peer resets the connection.
    public func fail() {
        guard isOpen, let last = delegate else { return }
        end(.failed)
        last.stream(self, didFail: StreamError(errorNumber: 104))
    }

    /// The peer reads no more, or reads again and takes what was queued.
    public func setPeerReading(_ isReading: Bool) {
        isPeerReading = isReading
        guard isReading else { return }
        queuedByteCount = 0
        let wasCongested = isCongested
        isCongested = false
        if wasCongested, isOpen { delegate?.streamDidDrain(self) }
    }

    /// Hands over what has arrived, as far as the owner reads; says whether there was anything.
    public func deliver() -> Bool {
        var hasDelivered = false
        while isOpen, !isReadingPaused, let delegate {
            if deliveredPieceCount == incoming.count {
                forgetIncoming()
                guard case .coming(let isClean) = peerEnd else { break }
                peerEnd = .told
                hasDelivered = true
                delegate.streamDidReachEnd(self, isClean: isClean)
            } else {
                let piece = incoming[deliveredPieceCount]
                deliveredPieceCount += 1
                delivered += piece
                hasDelivered = true
                delegate.stream(self, didReceive: piece.span)
            }
        }
        return hasDelivered
    }
}
