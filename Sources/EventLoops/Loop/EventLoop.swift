internal import ProxydCLibevent
internal import ProxydSystem
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
    // Exclusive: no member of either calls a closure or releases an object.
    @exclusivity(unchecked) private var endWork = DispatchEndWork()
    @exclusivity(unchecked) private var bufferPool = BufferPool()
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
        // Replaced before it is released: what it releases may ask for more work.
        let dropped = endWork
        endWork = DispatchEndWork()
        withExtendedLifetime(dropped) {}
    }

    /// Whether the caller is on the loop's thread.
    public var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Traps if called on another thread than the loop's: that is a programming error, never caused
    /// by a peer.
    public func preconditionOnLoop() {
        precondition(isOnLoop, "called off the loop")
    }

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
        var next = endWork.takeRound()
        // Limited, so that observers that ask again forever cannot keep the loop from its events.
        for _ in 1..<16 {
            guard var round = next.take() else { break }
            round.run()
            next = endWork.takeRound(after: round)
        }
        if var round = next.take() {
            round.run()
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

    /// The monotonic clock in nanoseconds; on the loop's thread it is read once per dispatch.
    public var now: Int64 {
        guard isOnLoop else { return EventLoop.monotonicNow() }
        if cachedNow == 0 { cachedNow = EventLoop.monotonicNow() }
        return cachedNow
    }

    /// Returns an empty buffer, with storage from earlier use if there is any. On the loop only.
    public func takeSpareBuffer() -> [UInt8] { bufferPool.take() }

    /// Keeps a buffer's storage for the next stream that needs a queue, if there is room for it. On
    /// the loop only.
    public func keepSpareBuffer(_ buffer: consuming [UInt8]) { bufferPool.keep(buffer) }

    /// A stream starts to linger; returns the stream that must stop lingering, if any.
    func beginLingering(_ stream: SocketStream) -> SocketStream? {
        lingeringStreams.add(stream, countMax: lingering.connectionCountMax)
    }

    func endLingering(_ stream: SocketStream) { lingeringStreams.remove(stream) }

    /// The monotonic clock (CLOCK_MONOTONIC), in nanoseconds from an arbitrary origin.
    public static func monotonicNow() -> Int64 { SystemClock.monotonicNow() }

    /// The wall clock, in nanoseconds since 1970-01-01T00:00:00Z. It may jump.
    public static func wallNow() -> Int64 { SystemClock.wallNow() }
}

/// Closures from other threads that wait for a loop, and the descriptor that wakes the loop.
final class Inbox: Sendable {
    /// Readable while there is work.
    let descriptor: Int32
    private let state = Mutex(State())

    private struct State {
        var bodies: [@Sendable () -> Void] = []
        var isWakePending = false
        var isClosed = false
    }

    init() throws(StreamError) {
        descriptor = clibevent_wakeup_descriptor()
        guard descriptor >= 0 else { throw StreamError(errorNumber: errno) }
    }

    deinit { Glibc.close(descriptor) }

    /// Queues a closure and wakes the loop, unless a wakeup is already pending.
    func append(_ body: @escaping @Sendable () -> Void) {
        let mustWake = state.withLock { state in
            guard !state.isClosed else { return false }
            state.bodies.append(body)
            defer { state.isWakePending = true }
            return !state.isWakePending
        }
        if mustWake { eventfd_write(descriptor, 1) }
    }

    /// Removes all closures and replaces the array with an empty one, whose storage is reused.
    func take(replacingWith spare: [@Sendable () -> Void]) -> [@Sendable () -> Void] {
        var count = eventfd_t()
        eventfd_read(descriptor, &count)
        return state.withLock { state in
            var other = spare
            swap(&other, &state.bodies)
            state.isWakePending = false
            return other
        }
    }

    /// Drops all closures, now and in the future.
    func close() {
        // Dropped outside the lock: releasing a closure may run code that queues more work.
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.bodies = [] }
            return state.bodies
        }
        _ = dropped
    }
}

/// Wakes a loop when other threads have queued work for it.
final class Wakeup: EventTarget {
    private let inbox: Inbox
    private var registration: EventRegistration?

    init(loop: EventLoop, inbox: Inbox) {
        self.inbox = inbox
        super.init(loop: loop)
    }

    func start() {
        registration = EventRegistration(
            target: self, descriptor: inbox.descriptor, interest: [.read, .persist])
        registration?.add()
    }

    override func eventDidFire(_ readiness: Readiness) { loop.runInbox() }
}

/// An object that is notified when the loop has run all callbacks of one dispatch, before it waits
/// again. Streams use this to send everything that was written in small pieces with one call.
public protocol DispatchEndObserver: AnyObject {
    /// Called at the end of the dispatch. The observer may write, close and ask to be notified
    /// again.
    func dispatchDidEnd()
}

/// The work for the end of a dispatch, in rounds: what is added during one round is done in the
/// next. A separate struct, because each access to a class's stored property is checked at run
/// time.
struct DispatchEndWork {
    /// One round of work: the closures run first, then the observers.
    struct Round {
        fileprivate(set) var bodies: [() -> Void] = []
        fileprivate(set) var observers: [any DispatchEndObserver] = []

        fileprivate var isEmpty: Bool { bodies.isEmpty && observers.isEmpty }

        /// Does the work, and releases it.
        fileprivate mutating func run() {
            for body in bodies { body() }
            for observer in observers { observer.dispatchDidEnd() }
            bodies.removeAll(keepingCapacity: true)
            observers.removeAll(keepingCapacity: true)
        }
    }

    private var next = Round()
    /// An empty round that reuses the storage of an earlier one.
    private var spare = Round()

    var isEmpty: Bool { next.isEmpty }

    mutating func add(_ body: @escaping () -> Void) { next.bodies.append(body) }

    mutating func add(_ observer: any DispatchEndObserver) { next.observers.append(observer) }

    /// Removes and returns the next round; nil if there is no work.
    mutating func takeRound() -> Round? {
        guard !next.isEmpty else { return nil }
        var taken = Round()
        swap(&taken, &spare)
        swap(&taken, &next)
        return taken
    }

    /// The same after a round that has run, whose storage is kept for reuse.
    mutating func takeRound(after finished: consuming Round) -> Round? {
        keepStorage(of: finished)
        return takeRound()
    }

    mutating func keepStorage(of round: consuming Round) { spare = round }
}

/// Empty buffers with storage from earlier use, for streams that need a queue.
///
/// Limited in total and per buffer, so that the memory of a burst is freed again.
struct BufferPool {
    /// Enough for both sides of some dozens of exchanges that are answered in one dispatch.
    private static let countMax = 64
    private static let byteCountMax = 2 << 20
    private static let bufferByteCountMax = 512 << 10

    private var buffers: [[UInt8]] = []
    private var byteCount = 0

    /// Returns the buffer that was kept last, or one without storage.
    mutating func take() -> [UInt8] {
        guard let buffer = buffers.popLast() else { return [] }
        byteCount -= buffer.capacity
        return buffer
    }

    /// Empties and keeps a buffer, or frees it if there is no room.
    mutating func keep(_ buffer: consuming [UInt8]) {
        let capacity = buffer.capacity
        guard buffers.count < BufferPool.countMax, capacity <= BufferPool.bufferByteCountMax,
            byteCount + capacity <= BufferPool.byteCountMax
        else { return }
        buffer.removeAll(keepingCapacity: true)
        byteCount += capacity
        buffers.append(buffer)
    }
}

/// An element of an ``IndexedSet``, which stores its own index.
public protocol IndexedElement: AnyObject {
    /// The element's index in the set; -1 if it is in none. Maintained by the set.
    var index: Int { get set }
}

/// A collection whose elements know their index, so that any of them is removed in constant time.
public struct IndexedSet<Element: IndexedElement> {
    @usableFromInline var elements: [Element] = []

    public init() {}

    @inlinable public var count: Int { elements.count }
    @inlinable public var isEmpty: Bool { elements.isEmpty }
    /// The last element: the newest, as long as only last elements were removed; nil if the set is
    /// empty.
    @inlinable public var last: Element? { elements.last }
    /// All elements, in no particular order.
    @inlinable public var all: [Element] { elements }

    /// Adds an element, which must not be in any set.
    @inlinable
    public mutating func add(_ element: Element) {
        element.index = elements.count
        elements.append(element)
    }

    /// Removes an element, and moves the last one to its index; returns false if it was not in the
    /// set.
    @inlinable
    @discardableResult
    public mutating func remove(_ element: Element) -> Bool {
        let index = element.index
        guard index >= 0, index < elements.count, elements[index] === element else { return false }
        let last = elements.removeLast()
        if last !== element {
            elements[index] = last
            last.index = index
        }
        element.index = -1
        return true
    }
}

/// The libevent that the program is running with.
public enum EventLibrary {
    /// The library's version: `2.1.12-stable`.
    public static var version: String { String(cString: event_get_version()) }
}
