internal import Glibc
internal import ProxydHTTPModel
internal import ProxydSystem
internal import Synchronization

/// The bounded queue from the event loops to the recorder's thread.
///
/// `@unchecked Sendable`: all mutable state is in `state`, which is accessed only between `lock()`
/// and `unlock()`, and in an atomic. The mutex and the condition may be used from any thread and
/// live as long as this object.
final class RecorderQueue: @unchecked Sendable {
    typealias Operation = @Sendable (RecorderThread) -> Void

    /// What the recorder's thread takes from the queue in one go.
    struct Work {
        var batch = RecorderBatch()
        var operations: [Operation] = []
        /// To be called once the batch is committed.
        var readers: [@Sendable () -> Void] = []
        var isStopping = false

        /// Moves the batch out, so that it has a single owner; nil if it is empty.
        mutating func takeBatch() -> RecorderBatch? {
            guard !batch.isEmpty else { return nil }
            var taken = RecorderBatch()
            swap(&taken, &batch)
            return taken
        }
    }

    private struct State {
        var work = Work()
        /// The size of exchanges that are queued, or taken but not yet committed.
        var byteCount = 0
        /// The size of connections in the same states.
        var connectionByteCount = 0
        var isUnwritable = false
        var consumer = Consumer.busy
        var waiters: [@Sendable () -> Void] = []
        /// When a batch may be committed early for readers again, in monotonic nanoseconds.
        var nextReaderCommit: Int64 = 0
        var droppedExchangeCount: Int64 = 0
        var droppedBodyByteCount: Int64 = 0
        var droppedConnectionCount: Int64 = 0
        /// Open exchanges that were dropped entirely: their later updates are dropped too.
        var droppedIDs: Set<ExchangeID> = []
        /// Open exchanges with a gap in a body: bytes after the gap are dropped, because the stored
        /// bytes are always the start of a body.
        var gappedIDs: Set<ExchangeID> = []
    }

    private enum Consumer { case busy, idle, gathering }

    /// A batch of this size in bytes is written without waiting for more; a fast network fills one
    /// that large while it is collected. Waiting is otherwise worth it, because each commit
    /// rewrites pages that are not full yet.
    private let eagerByteCount: Int
    /// How long a batch waits for more, in nanoseconds. Recorded data must be on disk within 100
    /// ms: this leaves more than half of that for the previous batch and for writing.
    private static let gatherNs: Int64 = 40_000_000

    /// The least time between two commits for readers, in nanoseconds: 20 a second.
    private static let readerNs: Int64 = 50_000_000

    private let byteCountMax: Int
    /// Connections have a separate limit, in bytes: each is reported only once, and the rows of all
    /// its later exchanges would lack it.
    private let connectionByteCountMax: Int
    private let policy: RecorderConfiguration.CongestionPolicy
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state = State()
    /// The value of `isCongested`. It is read several times per exchange, so it takes no lock.
    private let congestion = Atomic<Bool>(false)

    init(_ configuration: RecorderConfiguration) {
        byteCountMax = max(1, configuration.queueByteCountMax)
        connectionByteCountMax = byteCountMax / 4
        eagerByteCount = min(4 << 20, byteCountMax / 2)
        policy = configuration.congestionPolicy
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    // MARK: Callers

    /// Adds a short exchange; drops and counts what does not fit.
    func add(_ row: consuming RecordedRow) {
        lock()
        defer { unlock() }
        if !hasRoom(forBodiesOf: row.memoryByteCount) {
            state.droppedBodyByteCount &+= Int64(row.dropBodies())
        }
        guard hasRoom(forExchangeOf: row.memoryByteCount) else {
            state.droppedExchangeCount &+= 1
            return
        }
        state.byteCount += state.work.batch.add(row)
        noteCongestion()
        wakeConsumer()
    }

    func add(_ update: consuming ExchangeUpdate) {
        lock()
        defer { unlock() }
        let isOpen = update.state == .active
        if !state.droppedIDs.isEmpty, state.droppedIDs.contains(update.id) {
            if !isOpen { state.droppedIDs.remove(update.id) }
            return
        }
        let isGapped = !state.gappedIDs.isEmpty && state.gappedIDs.contains(update.id)
        let fits = hasRoom(forBodiesOf: update.memoryByteCount)
        // A message is complete in itself, even if earlier ones are missing.
        if !fits { stripMessages(&update) }
        if isGapped || !fits {
            stripBodies(&update)
            if isGapped, !isOpen { state.gappedIDs.remove(update.id) }
        }
        if update.isFirst, !hasRoom(forExchangeOf: update.memoryByteCount) {
            state.droppedExchangeCount &+= 1
            if isOpen { state.droppedIDs.insert(update.id) }
            return
        }
        state.byteCount += state.work.batch.add(update)
        noteCongestion()
        wakeConsumer()
    }

    /// Adds a connection, or counts it as dropped if it does not fit.
    func add(_ connection: ConnectionRecord) {
        lock()
        defer { unlock() }
        let count = connection.memoryByteCount
        guard state.connectionByteCount + count <= connectionByteCountMax else {
            state.droppedConnectionCount &+= 1
            return
        }
        state.work.batch.add(connection)
        state.connectionByteCount += count
        wakeConsumer()
    }

    /// Schedules a closure on the recorder's thread; returns false if the thread has stopped.
    func add(_ operation: @escaping Operation) -> Bool {
        lock()
        defer { unlock() }
        guard !state.work.isStopping else { return false }
        state.work.operations.append(operation)
        pthread_cond_signal(condition)
        return true
    }

    /// Calls the closure when everything that is queued now is committed, and commits it soon;
    /// immediately if nothing is queued, or if nothing can be written.
    func commitSoon(_ done: @escaping @Sendable () -> Void) {
        lock()
        let isPending = state.byteCount + state.connectionByteCount > 0
        let mustWait = isPending && !state.isUnwritable && !state.work.isStopping
        if mustWait {
            state.work.readers.append(done)
            pthread_cond_signal(condition)
        }
        unlock()
        if !mustWait { done() }
    }

    /// Lets the thread finish the queued work and end.
    func stop() {
        lock()
        state.work.isStopping = true
        pthread_cond_signal(condition)
        unlock()
    }

    /// Whether callers that can wait should do so.
    var isCongested: Bool { congestion.load(ordering: .relaxed) }

    /// Calls the closure once there is room; immediately if there is room now.
    func whenDrained(_ resume: @escaping @Sendable () -> Void) {
        lock()
        let mustWait = isFull(above: byteCountMax / 2)
        if mustWait { state.waiters.append(resume) }
        unlock()
        if !mustWait { resume() }
    }

    /// The size of the queue, and what was dropped so far.
    struct Counters {
        let byteCount: Int
        let droppedExchangeCount: Int64
        let droppedBodyByteCount: Int64
        let droppedConnectionCount: Int64
    }

    var counters: Counters {
        lock()
        defer { unlock() }
        return Counters(
            byteCount: state.byteCount + state.connectionByteCount,
            droppedExchangeCount: state.droppedExchangeCount,
            droppedBodyByteCount: state.droppedBodyByteCount,
            droppedConnectionCount: state.droppedConnectionCount)
    }

    var hasWork: Bool {
        lock()
        defer { unlock() }
        return !state.work.batch.isEmpty || !state.work.operations.isEmpty
            || !state.work.readers.isEmpty || state.work.isStopping
    }

    // MARK: The recorder's thread

    /// Waits for work until a deadline (monotonic nanoseconds) at most, then returns all of it. If
    /// `isPaused`, the exchanges stay in the queue.
    func take(until deadline: Int64, isPaused: Bool) -> Work {
        lock()
        defer { unlock() }
        state.consumer = isPaused ? .busy : .idle
        while state.work.operations.isEmpty, state.work.readers.isEmpty, !state.work.isStopping,
            isPaused || state.work.batch.isEmpty, wait(until: deadline)
        {}
        if !isPaused, !state.work.batch.isEmpty { gather() }
        state.consumer = .busy
        var work = Work()
        work.isStopping = state.work.isStopping
        swap(&work.operations, &state.work.operations)
        swap(&work.readers, &state.work.readers)
        if !isPaused {
            swap(&work.batch, &state.work.batch)
            state.work.batch = RecorderBatch(sizedLike: work.batch)
        }
        return work
    }

    /// Waits for more of a batch: less long if readers wait for it, so that they are answered soon,
    /// but not with a commit for each.
    private func gather() {
        state.consumer = .gathering
        let end = SystemClock.monotonicNow() &+ RecorderQueue.gatherNs
        while state.work.operations.isEmpty, !state.work.isStopping,
            state.work.batch.memoryByteCount < eagerByteCount,
            wait(until: state.work.readers.isEmpty ? end : min(end, state.nextReaderCommit))
        {}
        guard !state.work.readers.isEmpty else { return }
        state.nextReaderCommit = SystemClock.monotonicNow() &+ RecorderQueue.readerNs
    }

    /// Reports that a batch taken earlier is in the store or was given up.
    func release(_ batch: borrowing RecorderBatch) {
        lock()
        state.byteCount -= batch.memoryByteCount - batch.connectionByteCount
        state.connectionByteCount -= batch.connectionByteCount
        noteCongestion()
        let ready = state.byteCount <= byteCountMax / 2 ? takeWaiters() : []
        unlock()
        for resume in ready { resume() }
    }

    /// Sets whether the store is unwritable; while it is, no caller is asked to wait.
    func setUnwritable(_ isUnwritable: Bool) {
        lock()
        state.isUnwritable = isUnwritable
        noteCongestion()
        var ready: [@Sendable () -> Void] = []
        if isUnwritable {
            ready = takeWaiters() + state.work.readers
            state.work.readers = []
        }
        unlock()
        for resume in ready { resume() }
    }

    // MARK: With the lock held

    private func noteCongestion() {
        congestion.store(isFull(above: byteCountMax), ordering: .relaxed)
    }

    /// Whether more than `byteCount` bytes are queued, and waiting for fewer would help.
    private func isFull(above byteCount: Int) -> Bool {
        policy == .slow && !state.isUnwritable && state.byteCount > byteCount
    }

    private func hasRoom(forBodiesOf byteCount: Int) -> Bool {
        let limit = policy == .drop || state.isUnwritable ? byteCountMax : 2 * byteCountMax
        return state.byteCount + byteCount <= limit
    }

    /// Whether there is room for another exchange. The limit is higher than for bodies: while
    /// nothing can be written, and until the backlog is written, many exchanges are recorded that
    /// lack only their bodies.
    private func hasRoom(forExchangeOf byteCount: Int) -> Bool {
        state.byteCount + byteCount <= 4 * byteCountMax
    }

    private func stripBodies(_ update: inout ExchangeUpdate) {
        let sent = update.events.reduce(0) { $0 + ($1.isBody ? $1.byteCount : 0) }
        let count = update.requestBody.appended.count + update.responseBody.appended.count + sent
        guard count > 0 else { return }
        update.requestBody.appended = []
        update.responseBody.appended = []
        update.events.removeAll(where: \.isBody)
        state.droppedBodyByteCount &+= Int64(count)
        if update.state == .active { state.gappedIDs.insert(update.id) }
    }

    /// Drops the contents of messages, which their rows note. If there is no room even for the
    /// rows, drops the messages; their positions are then missing.
    private func stripMessages(_ update: inout ExchangeUpdate) {
        guard !update.messages.isEmpty else { return }
        let said = update.messages.reduce(0) { $0 + $1.memoryByteCount }
        state.droppedBodyByteCount &+= Int64(said)
        for index in update.messages.indices { update.messages[index].dropContent() }
        if !hasRoom(forExchangeOf: update.memoryByteCount) { update.messages = [] }
    }

    private func takeWaiters() -> [@Sendable () -> Void] {
        defer { state.waiters = [] }
        return state.waiters
    }

    private func wakeConsumer() {
        switch state.consumer {
        case .busy: return
        case .gathering where state.work.batch.memoryByteCount < eagerByteCount: return
        case .idle, .gathering:
            state.consumer = .busy
            pthread_cond_signal(condition)
        }
    }

    /// Waits for a signal; returns false once the deadline has passed.
    private func wait(until deadline: Int64) -> Bool {
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    private func lock() { pthread_mutex_lock(mutex) }
    private func unlock() { pthread_mutex_unlock(mutex) }
}
