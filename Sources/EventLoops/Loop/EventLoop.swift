internal import ProxydCLibevent
internal import Glibc
internal import Synchronization

/// One libevent base and the thread that runs it.
///
/// One turn of the loop (a *dispatch*) waits for events, runs the callbacks of all that are ready,
/// and then notifies the observers of the dispatch's end, so that everything written in one turn is
/// sent with one system call.
///
/// Sendable, although most of it is confined to one thread. Proof: `inbox`, `thread` and
/// `isStopping` are synchronised; all other state is accessed only by members that call
/// `preconditionOnLoop()`, by members called only from those, and by `run()`, which cannot be
/// called on a second thread.
public final class EventLoop: @unchecked Sendable {
    /// The maximum number of bytes of one read; also the size of the loop's shared read buffer.
    public static let readBufferByteCount = 256 * 1_024

    let base: OpaquePointer
    /// The read buffer shared by all streams of the loop, valid only during the callback of one
    /// read.
    let readBuffer: UnsafeMutablePointer<UInt8>
    private let thread = Atomic<UInt>(0)
    private let isStopping = Atomic<Bool>(false)
    private let inbox: Inbox

    private var wakeup: Wakeup?
    private var cachedNow: Int64 = 0
    private var running: [@Sendable () -> Void] = []
    private var endWork = DispatchEndWork()
    private var spareBuffers = SpareBuffers()
    private var lingeringStreams = LingeringStreams()
    /// How long closed streams keep reading from their peers.
    let lingering: LingerLimits

    /// Creates a loop that is not running yet. Throws if the system has no descriptors left.
    public init(lingering: LingerLimits = LingerLimits()) throws(StreamError) {
        SignalSource.ignoreBrokenPipes()
        inbox = try Inbox()
        self.lingering = lingering
        let configuration = event_config_new()
        defer { event_config_free(configuration) }
        // Only the loop's thread uses the base, so libevent needs no locks.
        event_config_set_flag(configuration, Int32(EVENT_BASE_FLAG_NOLOCK.rawValue))
        guard let base = event_base_new_with_config(configuration) else {
            throw StreamError(errorNumber: errno)
        }
        self.base = base
        readBuffer = .allocate(capacity: EventLoop.readBufferByteCount)
        wakeup = Wakeup(loop: self, inbox: inbox)
    }

    deinit {
        readBuffer.deallocate()
        event_base_free(base)
    }

    // MARK: Running

    /// Runs the loop on the calling thread until `stop()`; then releases everything registered.
    public func run() {
        let (isFirst, _) = thread.compareExchange(
            expected: 0, desired: UInt(pthread_self()), ordering: .sequentiallyConsistent)
        precondition(isFirst, "a loop runs once, on one thread")
        wakeup?.start()
        while !isStopping.load(ordering: .acquiring) {
            let wait = endWork.isEmpty ? 0 : EVLOOP_NONBLOCK
            let flags = EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY | wait
            event_base_loop(base, flags)
            endDispatch()
        }
        tearDown()
    }

    /// Ends the loop after the dispatch that runs the closures given to `execute` before; may be
    /// called on any thread. Registered objects are released without callbacks: open streams are
    /// closed immediately.
    public func stop() {
        execute { [weak self] in self?.isStopping.store(true, ordering: .releasing) }
    }

    private func tearDown() {
        inbox.close()
        for target in pendingTargets(of: base) { target.loopDidStop() }
        wakeup = nil
        endWork = DispatchEndWork()
    }

    // MARK: Confinement

    /// Whether the caller is on the loop's thread.
    public var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Traps if called on another thread than the loop's: that is a programming error, never caused
    /// by a peer.
    public func preconditionOnLoop() {
        precondition(isOnLoop, "called off the loop")
    }

    // MARK: Work

    /// Runs a closure on the loop; may be called on any thread, and keeps the order of calls. After
    /// the loop has stopped, the closure is dropped.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        inbox.append(body)
    }

    /// Runs a closure after all callbacks of this dispatch. On the loop only.
    public func afterDispatch(_ body: @escaping () -> Void) {
        preconditionOnLoop()
        endWork.add(body)
    }

    /// Notifies an observer once after all callbacks of this dispatch. On the loop only. Does not
    /// allocate; the observer must not ask twice before it is notified.
    public func notifyAtDispatchEnd(_ observer: any DispatchEndObserver) {
        preconditionOnLoop()
        endWork.add(observer)
    }

    /// Runs the closures from other threads. Called by the wakeup.
    func runInbox() {
        running = inbox.take(replacingWith: take(&running))
        for body in running { body() }
        running.removeAll(keepingCapacity: true)
    }

    private func endDispatch() {
        // Limited, so that observers that ask again forever cannot keep the loop from its events.
        for _ in 0..<16 {
            guard let round = endWork.takeRound() else { break }
            for body in round.bodies { body() }
            for observer in round.observers { observer.dispatchDidEnd() }
            endWork.keepStorage(of: round)
        }
        cachedNow = 0
    }

    /// Moves an array out and leaves an empty one.
    private func take<Element>(_ array: inout [Element]) -> [Element] {
        let taken = array
        array = []
        return taken
    }

    // MARK: Time

    /// The monotonic clock in nanoseconds; on the loop's thread it is read once per dispatch.
    public var now: Int64 {
        guard isOnLoop else { return EventLoop.monotonicNow() }
        if cachedNow == 0 { cachedNow = EventLoop.monotonicNow() }
        return cachedNow
    }

    // MARK: Buffers

    /// Returns an empty buffer, with storage from earlier use if there is any. On the loop only.
    public func takeSpareBuffer() -> [UInt8] { spareBuffers.take() }

    /// Keeps a buffer's storage for the next stream that needs a queue, if there is room for it. On
    /// the loop only.
    public func keepSpareBuffer(_ buffer: consuming [UInt8]) { spareBuffers.keep(buffer) }

    // MARK: Lingering

    /// A stream starts to linger; returns the stream that must stop lingering, if any.
    func beginLingering(_ stream: SocketStream) -> SocketStream? {
        lingeringStreams.add(stream, countMax: lingering.connectionCountMax)
    }

    /// A lingering stream was closed.
    func endLingering(_ stream: SocketStream) { lingeringStreams.remove(stream) }
}
