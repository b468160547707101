public import ProxydCaptureModel
public import ProxydHTTPModel
internal import ProxydSystem
internal import Synchronization

/// Records exchanges to the store of a data directory. It is the store's only writer.
///
/// Callers hand over updates without waiting; a separate thread writes them in batches every few
/// tens of milliseconds. The memory it may use is bounded. It holds the store's lock until
/// `stop()`.
public final class Recorder: ExchangeSink {
    let queue: RecorderQueue
    private let shared = RecorderShared()
    private let redactor: StorageRedactor?
    private let ended = Semaphore()

    /// Opens the store, creating it if it does not exist, and starts recording.
    ///
    /// Throws `.busy` if another process has locked it, and `.newerSchema` or `.foreignFile` if
    /// the file is not for this program (it is not modified). A damaged file is renamed and a new
    /// one created: see `status.damagedStorePath`. Exchanges left open by a crash are marked as
    /// failed.
    public init(
        directory: DataDirectory, configuration: RecorderConfiguration = RecorderConfiguration()
    ) throws(StoreError) {
        let queue = RecorderQueue(configuration)
        self.queue = queue
        redactor = StorageRedactor(configuration.unstored)
        let opened = Promise<Result<Void, StoreError>>()
        // `ended` reports when the thread ends.
        let isStarted = startDetachedThread(stackByteCount: 1 << 20) { [shared, ended] in
            defer { ended.signal() }
            do throws(StoreError) {
                let recorder = try RecorderThread(directory, configuration, queue, shared)
                opened.fulfil(.success(()))
                recorder.run()
            } catch {
                opened.fulfil(.failure(error))
            }
        }
        guard isStarted else { throw .noThread }
        try opened.wait().get()
    }

    deinit { queue.stop() }

    /// Writes everything that is queued, makes it durable, and releases the store. Blocks until
    /// that is done; a second call does nothing.
    public func stop() {
        queue.stop()
        ended.wait()
        ended.signal()
    }

    // MARK: ExchangeSink

    public func nextExchangeID() -> ExchangeID { shared.takeExchangeID() }

    public func nextConnectionID() -> ConnectionID { shared.takeConnectionID() }

    public func record(_ update: consuming ExchangeUpdate) {
        if let redactor { update = redactor.redacted(update) }
        if let row = RecordedRow(short: update) {
            queue.add(row)
        } else {
            queue.add(update)
        }
    }

    public func record(_ connection: ConnectionRecord) { queue.add(connection) }

    /// Whether more is queued than the limit allows and waiting would help. Never true while
    /// nothing can be written, and never with the policy `drop`.
    public var isCongested: Bool { queue.isCongested }

    public func whenDrained(_ resume: @escaping @Sendable () -> Void) {
        queue.whenDrained(resume)
    }

    // MARK: State

    public var status: RecorderStatus {
        var status = shared.currentStatus
        let counters = queue.counters
        status.queueByteCount = counters.byteCount
        status.droppedExchangeCount &+= counters.droppedExchangeCount
        status.droppedBodyByteCount = counters.droppedBodyByteCount
        status.droppedConnectionCount &+= counters.droppedConnectionCount
        return status
    }

    /// Calls the closure on the recorder's thread after each commit that changed something, until
    /// the returned subscription is released. The closure must not block.
    public func subscribe(
        _ onChange: @escaping @Sendable (StoreChange) -> Void
    ) -> StoreSubscription {
        StoreSubscription(shared, onChange)
    }

    // MARK: Operations

    /// Runs a closure on the recorder's thread after everything recorded before; its completion is
    /// called on that thread too.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (RecorderThread) throws(StoreError) -> Value,
        completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        let isAccepted = queue.add { thread in
            do throws(StoreError) {
                completion(.success(try body(thread)))
            } catch {
                completion(.failure(error))
            }
        }
        if !isAccepted { completion(.failure(.stopped)) }
    }

    /// Starts an operation with a completion and waits for it. Never on an event loop.
    public func wait<Value: Sendable>(
        for start: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void
    ) throws(StoreError) -> Value {
        let promise = Promise<Result<Value, StoreError>>()
        start { promise.fulfil($0) }
        return try promise.wait().get()
    }

    func startRemoval(_ job: @escaping @Sendable () -> RemovalJob) -> Bool {
        queue.add { $0.removals.append(job()) }
    }
}

/// Settings of a recorder. `docs/DEFAULTS.md` explains the defaults.
public struct RecorderConfiguration: Sendable {
    /// What to do when the disk is too slow.
    public enum CongestionPolicy: String, Sendable, Hashable, CaseIterable {
        /// Ask the callers to wait: the proxy then reads more slowly.
        case slow
        /// Let traffic pass and drop bodies; the rows of those exchanges say so.
        case drop
    }

    /// When a commit becomes durable against power failure. Every commit survives `kill -9`.
    public enum Durability: String, Sendable, Hashable, CaseIterable {
        /// At least once a second while there is traffic.
        case everySecond
        /// Every commit, at the cost of one fsync each.
        case always
    }

    public var queueByteCountMax = 16 << 20
    public var congestionPolicy = CongestionPolicy.slow
    public var durability = Durability.everySecond
    /// Recording stops while the file system has less free space than this, in bytes.
    public var freeSpaceFloorByteCount: Int64 = 256 << 20
    /// The write-ahead log is copied into the database each time it has grown by this many bytes.
    public var checkpointByteCount: Int64 = 8 << 20
    /// Parameters are not extracted from bodies longer than this, in bytes.
    public var parameterBodyByteCountMax = 1 << 20
    public var unstored = UnstoredNames()
    public var retention = RetentionPolicy()
    /// Called on the recorder's thread when a full or failing disk stops recording, and when
    /// recording works again.
    public var onPauseChange: (@Sendable (RecorderStatus) -> Void)?
    /// Replaces parts of the system in tests; nil in production.
    var faults: RecorderFaults?

    public init() {}
}

/// Simulates failing disks for tests.
struct RecorderFaults: Sendable {
    /// The free space on the store's file system in bytes; nil asks the file system.
    var freeByteCount: (@Sendable () -> Int64)?
    /// An SQLite result code with which the next commit fails; 0 for none.
    var commitResult: (@Sendable () -> Int32)?
}

/// The state shared by the recorder's thread and all other threads.
final class RecorderShared: Sendable {
    private let status = Mutex(RecorderStatus())
    private let lastExchangeID = Atomic<Int64>(0)
    private let lastConnectionID = Atomic<Int64>(0)
    private let subscribers = Mutex<(next: Int, all: [Int: @Sendable (StoreChange) -> Void])>(
        (0, [:]))

    /// The status without the part that comes from the queue.
    var currentStatus: RecorderStatus { status.withLock { $0 } }

    func update(_ change: (inout RecorderStatus) -> Void) { status.withLock { change(&$0) } }

    func takeExchangeID() -> ExchangeID {
        ExchangeID(rawValue: lastExchangeID.add(1, ordering: .relaxed).newValue)
    }

    func takeConnectionID() -> ConnectionID {
        ConnectionID(rawValue: lastConnectionID.add(1, ordering: .relaxed).newValue)
    }

    /// Continues after the numbers that are in the store.
    func raiseIDs(exchange: Int64, connection: Int64) {
        _ = lastExchangeID.max(exchange, ordering: .relaxed)
        _ = lastConnectionID.max(connection, ordering: .relaxed)
    }

    /// Registers a closure to call after each commit that changed something; returns its number.
    func subscribe(_ onChange: @escaping @Sendable (StoreChange) -> Void) -> Int {
        subscribers.withLock {
            $0.next += 1
            $0.all[$0.next] = onChange
            return $0.next
        }
    }

    func unsubscribe(_ number: Int) {
        _ = subscribers.withLock { $0.all.removeValue(forKey: number) }
    }

    func publish(_ change: StoreChange) {
        guard !change.isEmpty else { return }
        let all = subscribers.withLock { Array($0.all.values) }
        for onChange in all { onChange(change) }
    }
}

/// A subscription to a recorder's changes; ends when it is cancelled or released.
public final class StoreSubscription: Sendable {
    private let shared: RecorderShared
    private let number: Int

    init(_ shared: RecorderShared, _ onChange: @escaping @Sendable (StoreChange) -> Void) {
        self.shared = shared
        number = shared.subscribe(onChange)
    }

    deinit { cancel() }

    /// Ends the subscription; a call that is already in progress may still arrive.
    public func cancel() { shared.unsubscribe(number) }
}
