internal import Glibc

/// A stream over a connected socket.
///
/// ```
///            close(), queue left          queue sent            peer's FIN, `LingerLimits`
///   open ───────────────────▶ flushing ───────────▶ lingering ──────────▶ closed
///     │ close(), queue empty ────────────────────────▲                       ▲
///     └── failure, abort(), close() after the peer's FIN ────────────────────┘
/// ```
/// While flushing and lingering, bytes from the peer are read and dropped: the peer may write
/// everything before it reads.
///
/// The cost of a turn: one recv into the loop's shared buffer, one send at the end of the dispatch.
/// The write event is armed only if the kernel did not take everything; the queue's storage is
/// borrowed from the loop while there is something to queue.
public final class SocketStream: EventTarget, DuplexStream, DispatchEndObserver {
    private enum Life {
        case open
        case flushing
        case lingering(untilNs: Int64)
        case closed
    }

    /// Which side opened the connection.
    enum Origin {
        case opened
        case accepted
    }

    private enum WriteSide {
        case open
        /// FIN is sent once the queue has been sent.
        case ending
        case ended
        /// The kernel refused; reported once the bytes that the peer sent before are read.
        case failed(StreamError)
    }

    public let peerAddress: SocketAddress
    let origin: Origin
    private var descriptor: Int32
    private var life = Life.open
    private var writeSide = WriteSide.open
    // Exclusive: its members call nothing but the loop's buffers and the system.
    @exclusivity(unchecked) private var queue = OutputQueue()
    private var readEvent: EventRegistration?
    private var writeEvent: EventRegistration?
    /// Watches for the peer's end while reading is paused.
    private var endEvent: EventRegistration?
    private var isReadArmed = false
    private var isWriteArmed = false
    private var isEndWatched = false
    private var isReadPaused = false
    private var isReadEnded = false
    private var isEndRequested = false
    private var mustTellDrain = false
    private var keptAlive: SocketStream?
    private var knownLocalAddress: SocketAddress?

    // Stored properties are private: then the compiler can prove exclusive access and omits the
    // check at each use.
    private var isAboveWatermarks = false
    private var listener: (any DuplexStreamDelegate)?

    /// Creates a stream over a connected, non-blocking socket, which it owns from now on.
    init(loop: EventLoop, descriptor: Int32, peerAddress: SocketAddress, origin: Origin) {
        self.descriptor = descriptor
        self.origin = origin
        self.peerAddress = peerAddress
        super.init(loop: loop)
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    // MARK: State

    public var isOpen: Bool { if case .open = life { true } else { false } }
    public var queuedByteCount: Int { queue.byteCount }
    public var isCongested: Bool { isAboveWatermarks }

    /// Receives the stream's events; setting a delegate starts reading.
    public var delegate: (any DuplexStreamDelegate)? {
        get { listener }
        set {
            listener = newValue
            guard newValue != nil, isOpen else { return }
            keptAlive = self
            armReadIfWanted()
        }
    }

    /// The local address; the unspecified address once the stream is closed.
    public var localAddress: SocketAddress {
        if let knownLocalAddress { return knownLocalAddress }
        let asked = SocketAddress.fromKernel { getsockname(descriptor, $0, $1) }.address
        knownLocalAddress = asked
        return asked ?? SocketAddress(ipv4: 0, port: 0)
    }

    /// Asks the kernel something about the socket; the descriptor is -1 once the stream is closed.
    func ask<Answer>(_ question: (Int32) -> Answer) -> Answer { question(descriptor) }

    // MARK: Events

    override func eventDidFire(_ readiness: Readiness) {
        switch life {
        case .open:
            if readiness.contains(.read) { somethingCame() }
            if readiness.contains(.write), isOpen { writeReady() }
        case .flushing:
            guard !readiness.contains(.timeout) else { return destroy() }
            if readiness.contains(.read) { discardInput() }
            if readiness.contains(.write), case .flushing = life { writeReady() }
        case .lingering(let untilNs):
            guard readiness.contains(.read), loop.now < untilNs else { return destroy() }
            discardInput()
            if case .lingering = life { armLingering(untilNs: untilNs) }
        case .closed: break
        }
    }

    override func loopDidStop() { destroy() }

    /// Sends what was written, and reports what could not be reported immediately.
    public func dispatchDidEnd() {
        isEndRequested = false
        guard isOpen else { return }
        if !isWriteArmed { sendQueue() }
        tellNews()
    }

    private func requestDispatchEnd() {
        guard !isEndRequested else { return }
        isEndRequested = true
        loop.notifyAtDispatchEnd(self)
    }

    /// Reports to the delegate what was noticed while it was inside one of our members.
    private func tellNews() {
        if case .failed(let error) = writeSide, mustFailAtOnce { return fail(error) }
        if mustTellDrain {
            mustTellDrain = false
            listener?.streamDidDrain(self)
        }
    }

    private func fail(_ error: StreamError) {
        let listener = listener
        destroy()
        listener?.stream(self, didFail: error)
    }

    // MARK: Reading

    public func pauseReading() {
        loop.preconditionOnLoop()
        // The event stays armed: most pauses end before the peer sends more.
        isReadPaused = true
    }

    public func resumeReading() {
        loop.preconditionOnLoop()
        isReadPaused = false
        stopWatching()
        armReadIfWanted()
    }

    /// Watches for the peer's end with an edge-triggered read event: unread bytes would fire a
    /// level-triggered one endlessly. libevent accepts only one kind for a descriptor, so the other
    /// events must be off.
    public func watchForEnd() {
        loop.preconditionOnLoop()
        guard isOpen, isReadPaused, !isReadEnded, !isWriteArmed, !isEndWatched else { return }
        disarmRead()
        if endEvent == nil {
            endEvent = EventRegistration(
                target: self, descriptor: descriptor, interest: [.read, .edge, .persist])
        }
        isEndWatched = true
        if endEvent?.add() == false { refuseToWatch() }
    }

    private func stopWatching() {
        guard isEndWatched else { return }
        isEndWatched = false
        endEvent?.remove()
    }

    private func somethingCame() {
        guard isEndWatched else { return readReady() }
        guard SocketCalls.hasPeerEnded(descriptor) else { return }
        stopWatching()
        listener?.streamPeerDidEnd(self)
    }

    private var wantsToRead: Bool { listener != nil && !isReadPaused && !isReadEnded }

    private func armReadIfWanted() {
        guard isOpen, wantsToRead, !isReadArmed else { return }
        armRead(timeoutNs: nil)
    }

    private func armRead(timeoutNs: Int64?) {
        if readEvent == nil {
            readEvent = EventRegistration(
                target: self, descriptor: descriptor, interest: [.read, .persist])
        }
        isReadArmed = true
        if readEvent?.add(timeoutNs: timeoutNs) == false { refuseToWatch() }
    }

    private func disarmRead() {
        guard isReadArmed else { return }
        isReadArmed = false
        readEvent?.remove()
    }

    /// The kernel refuses to watch the descriptor: its tables are full.
    private func refuseToWatch() {
        guard isOpen else { return destroy() }
        writeSide = .failed(StreamError(errorNumber: ENOMEM))
        isReadEnded = true
        requestDispatchEnd()
    }

    /// The number of consecutive reads, so that one fast peer does not starve the loop's others.
    private static let readCountMax = 4

    private func readReady() {
        for _ in 0..<SocketStream.readCountMax {
            guard isOpen, wantsToRead, let listener else { return disarmRead() }
            switch receive() {
            case .moved(0): return endReached()
            case .moved(let count):
                let buffer = loop.readBuffer
                listener.stream(self, didReceive: Span(_unsafeStart: buffer, count: count))
                // A short read has emptied the socket.
                if count < EventLoop.readBufferByteCount { return }
            case .wouldBlock: return
            case .failed(let number):
                if case .failed(let error) = writeSide { return fail(error) }
                return fail(StreamError(errorNumber: number))
            }
        }
    }

    /// Takes the bytes that have arrived, without waiting; usually there are none.
    public func takeArrived(_ take: (Span<UInt8>) -> Void) -> Bool {
        loop.preconditionOnLoop()
        guard isOpen, !isReadEnded, case .open = writeSide else { return false }
        for _ in 0..<SocketStream.readCountMax {
            switch SocketCalls.look(descriptor) {
            case .wouldBlock: return true
            case .failed, .moved(0): return false
            case .moved: take(arrivedBytes().span)
            }
        }
        return false
    }

    /// Receives into a separate buffer: the loop's may contain bytes that are being delivered.
    private func arrivedBytes() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SocketStream.directByteCount) { buffer, count in
            guard let start = buffer.baseAddress,
                case .moved(let moved) = SocketCalls.receive(
                    descriptor, into: start, byteCountMax: buffer.count)
            else { return }
            count = moved
        }
    }

    private func receive() -> SocketCalls.Transfer {
        SocketCalls.receive(
            descriptor, into: loop.readBuffer, byteCountMax: EventLoop.readBufferByteCount)
    }

    public func acknowledge() {
        loop.preconditionOnLoop()
        if descriptor >= 0 { SocketCalls.acknowledge(descriptor) }
    }

    private func endReached() {
        isReadEnded = true
        disarmRead()
        if case .failed(let error) = writeSide { return fail(error) }
        listener?.streamDidReachEnd(self, isClean: true)
    }

    // MARK: Writing

    /// From this size on, bytes are sent from where they are instead of being copied first.
    private static let directByteCount = 16 * 1_024

    public func write(_ bytes: Span<UInt8>) {
        loop.preconditionOnLoop()
        guard isOpen, case .open = writeSide, !bytes.isEmpty else { return }
        if !isWriteArmed, bytes.count >= SocketStream.directByteCount {
            sendDirectly(bytes)
        } else {
            let queuedByteCount = queue.append(bytes, loop: loop)
            if !isWriteArmed {
                guard queuedByteCount >= StreamWatermarks.lowByteCount else {
                    return requestDispatchEnd()
                }
                sendQueue()
            }
        }
        if queue.byteCount > StreamWatermarks.highByteCount { isAboveWatermarks = true }
    }

    public func flush() {
        loop.preconditionOnLoop()
        if isOpen, !isWriteArmed { sendQueue() }
    }

    public func shutdownWriting() {
        loop.preconditionOnLoop()
        guard isOpen, case .open = writeSide else { return }
        writeSide = .ending
        if !isWriteArmed { requestDispatchEnd() }
    }

    /// Sends the queue and then the bytes in one call; what the kernel does not take is queued.
    private func sendDirectly(_ bytes: Span<UInt8>) {
        let queued = queue.byteCount
        let outcome = bytes.withUnsafeBufferPointer { second in
            queue.withBytes { SocketCalls.send(descriptor, $0, second) }
        }
        switch outcome {
        case .moved(let count):
            queue.removeFirst(min(count, queued), loop: loop)
            let sent = max(0, count - queued)
            guard sent < bytes.count else { return }
            queue.append(bytes.extracting(sent...), loop: loop)
            armWrite()
        case .wouldBlock:
            queue.append(bytes, loop: loop)
            armWrite()
        case .failed(let number): writingFailed(number)
        }
    }

    private func sendQueue() {
        let descriptor = descriptor
        let (outcome, left) = queue.send(loop: loop) { SocketCalls.send(descriptor, $0) }
        if case .failed(let number) = outcome { return writingFailed(number) }
        if left > 0 { armWrite() }
        queueDidShrink(toByteCount: left)
    }

    private func queueDidShrink(toByteCount left: Int) {
        if isAboveWatermarks, left < StreamWatermarks.lowByteCount {
            isAboveWatermarks = false
            mustTellDrain = true
            requestDispatchEnd()
        }
        guard left == 0 else { return }
        if isWriteArmed {
            isWriteArmed = false
            writeEvent?.remove()
        }
        if case .ending = writeSide {
            writeSide = .ended
            shutdown(descriptor, Int32(SHUT_WR))
        }
    }

    private func armWrite(timeoutNs: Int64? = nil) {
        guard !isWriteArmed || timeoutNs != nil else { return }
        stopWatching()
        if writeEvent == nil {
            writeEvent = EventRegistration(
                target: self, descriptor: descriptor, interest: [.write, .persist])
        }
        isWriteArmed = true
        if writeEvent?.add(timeoutNs: timeoutNs) == false { refuseToWatch() }
    }

    private func writeReady() {
        sendQueue()
        switch life {
        case .open: tellNews()
        case .flushing: if queue.isEmpty { queueIsFlushed() }
        case .lingering, .closed: break
        }
    }

    private func writingFailed(_ number: Int32) {
        queue.removeAll(loop: loop)
        isWriteArmed = false
        writeEvent?.remove()
        writeSide = .failed(StreamError(errorNumber: number))
        if case .flushing = life { return destroy() }
        if mustFailAtOnce { requestDispatchEnd() } else { armReadIfWanted() }
    }

    /// After a reset, bytes that the peer sent before it (an early answer) can still be read; the
    /// failure is then reported after them. If no one reads, it is reported immediately.
    private var mustFailAtOnce: Bool {
        guard case .failed(let error) = writeSide else { return false }
        return error.kind != .reset || !wantsToRead
    }

    // MARK: Closing

    /// How long a peer may take no byte of a queue that is left after `close()`, in nanoseconds.
    private static let flushStallNs: Int64 = 30_000_000_000

    public func close() {
        loop.preconditionOnLoop()
        guard isOpen else { return }
        listener = nil
        keptAlive = self
        if case .failed = writeSide { return destroy() }
        disarmRead()
        stopWatching()
        life = .flushing
        if !isWriteArmed { sendQueue() }
        guard case .flushing = life else { return }
        if queue.isEmpty {
            queueIsFlushed()
        } else {
            armWrite(timeoutNs: SocketStream.flushStallNs)
            if case .flushing = life, !isReadEnded { armRead(timeoutNs: nil) }
        }
    }

    public func abort() {
        loop.preconditionOnLoop()
        if case .closed = life { return }
        SocketCalls.setResetOnClose(descriptor)
        destroy()
    }

    /// The queue has been sent. Closing now with unread input would reset the connection, and the
    /// peer would lose our last bytes: so FIN is sent, and input is dropped for a while.
    private func queueIsFlushed() {
        guard !isReadEnded else { return destroy() }
        shutdown(descriptor, Int32(SHUT_WR))
        let untilNs = loop.now &+ loop.lingering.totalNs
        life = .lingering(untilNs: untilNs)
        loop.beginLingering(self)?.destroy()
        guard case .lingering = life else { return }
        armRead(timeoutNs: loop.lingering.silenceNs)
        armLingering(untilNs: untilNs)
    }

    /// The timeout without input restarts by itself; it must not exceed the total time.
    private func armLingering(untilNs: Int64) {
        let leftNs = untilNs &- loop.now
        if leftNs < loop.lingering.silenceNs { armRead(timeoutNs: leftNs) }
    }

    /// Reads and drops input; at its end the stream closes if nothing is left to send.
    private func discardInput() {
        switch receive() {
        case .moved(0):
            isReadEnded = true
            disarmRead()
            if case .lingering = life { destroy() }
        case .moved, .wouldBlock: break
        case .failed: destroy()
        }
    }

    /// Releases everything: events, descriptor, delegate.
    private func destroy() {
        guard descriptor >= 0 else { return }
        if case .lingering = life { loop.endLingering(self) }
        life = .closed
        readEvent = nil
        writeEvent = nil
        endEvent = nil
        isEndWatched = false
        isReadArmed = false
        isWriteArmed = false
        isAboveWatermarks = false
        queue.removeAll(loop: loop)
        Glibc.close(descriptor)
        descriptor = -1
        listener = nil
        keptAlive = nil
    }
}
