public import ProxydCaptureModel
public import ProxydHTTPModel
internal import Synchronization
internal import ProxydSystem

/// Records exchanges to the store of a data directory. It is the store's only writer.
///
/// Callers hand over updates without waiting; a separate thread writes them in batches every few
/// tens of milliseconds. The memory it may use is bounded. It holds the store's lock until
/// `stop()`.
public final class Recorder: ExchangeStoring {
    let queue: RecorderQueue
    private let shared = RecorderShared()
    private let withholder: StorageRedactor?
    private let ended = Semaphore()

    /// Opens the store, creating it if it does not exist, and starts recording.
    ///
    /// Throws `.busy` if another process holds the store, and `.newerSchema` or `.foreignFile` if
    /// the file is not for this program (it is not modified). A damaged file is renamed and a new
    /// one created: see `status.damagedStorePath`. Exchanges left open by a crash are marked as
    /// failed.
    public init(
        directory: DataDirectory, configuration: RecorderConfiguration = RecorderConfiguration()
    ) throws(StoreError) {
        let queue = RecorderQueue(configuration)
        self.queue = queue
        withholder = StorageRedactor(configuration.unstored)
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

    /// Takes the next exchange number.
    public func nextExchangeID() -> ExchangeID { shared.takeExchangeID() }

    /// Takes the next connection number.
    public func nextConnectionID() -> ConnectionID { shared.takeConnectionID() }

    /// Hands over an update of an exchange.
    public func record(_ update: consuming ExchangeUpdate) {
        if let withholder { update = withholder.withheld(update) }
        if let row = RecordedRow(short: update) {
            queue.add(row)
        } else {
            queue.add(update)
        }
    }

    /// Hands over the facts about a connection.
    public func record(_ connection: ConnectionRecord) { queue.add(connection) }

    /// Whether more is queued than the limit allows and waiting would help. Never true while
    /// nothing can be written, and never with the policy `drop`.
    public var isCongested: Bool { queue.isCongested }

    /// Calls the closure once when there is room again.
    public func whenDrained(_ resume: @escaping @Sendable () -> Void) {
        queue.whenDrained(resume)
    }

    // MARK: State

    /// The current status of the recorder.
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

    /// Starts an operation that takes a completion and waits for it. Must not be called on an event
    /// loop.
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
