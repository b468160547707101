public import ProxydCaptureModel
public import ProxydHTTPModel
internal import Synchronization
internal import ProxydSystem

/// Records exchanges into the store of a data directory: the one writer there is.
///
/// Senders hand over their news and go on; a thread of its own writes them in batches every few
/// tens of milliseconds. What it may hold is bounded. It owns the store's lock until `stop()`.
public final class Recorder: ExchangeStoring {
    private let queue: RecorderQueue
    private let shared = RecorderShared()
    private let withholder: StorageRedactor?
    private let ended = Semaphore()

    /// Opens the store, making it where there is none, and starts recording.
    ///
    /// Throws `.busy` where another process has it, `.newerSchema` and `.foreignFile` where the
    /// file is not for this program (it stays as it is). A damaged file is put aside and a new one
    /// begun: `status.damagedStorePath`. Exchanges that a crash left open become failed ones.
    public init(
        directory: DataDirectory, configuration: RecorderConfiguration = RecorderConfiguration()
    ) throws(StoreError) {
        let queue = RecorderQueue(configuration)
        self.queue = queue
        withholder = StorageRedactor(configuration.unstored)
        let opened = Promise<Result<Void, StoreError>>()
        // Its end is told by `ended`.
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

    /// Writes what is waiting, makes it safe against power failure, and gives the store back.
    /// Waits for all that; a second call does nothing.
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

    /// Hands over news of an exchange.
    public func record(_ update: consuming ExchangeUpdate) {
        if let withholder { update = withholder.withheld(update) }
        if let row = RecordedRow(short: update) {
            queue.add(row)
        } else {
            queue.add(update)
        }
    }

    /// Hands over what is known of a connection.
    public func record(_ connection: ConnectionRecord) { queue.add(connection) }

    /// Whether more is waiting than the queue may hold, and waiting would help: never while the
    /// store takes nothing, and never with the policy `drop`.
    public var isCongested: Bool { queue.isCongested }

    /// Calls once when there is room again.
    public func whenDrained(_ resume: @escaping @Sendable () -> Void) {
        queue.whenDrained(resume)
    }

    // MARK: State

    /// What it is doing.
    public var status: RecorderStatus {
        var status = shared.currentStatus
        let counters = queue.counters
        status.queueByteCount = counters.byteCount
        status.droppedExchangeCount &+= counters.droppedExchangeCount
        status.droppedBodyByteCount = counters.droppedBodyByteCount
        status.droppedConnectionCount &+= counters.droppedConnectionCount
        return status
    }

    /// Calls on the recorder's thread after each commit that changed something, until the result
    /// is let go. Must not wait.
    public func subscribe(
        _ onChange: @escaping @Sendable (StoreChange) -> Void
    ) -> StoreSubscription {
        StoreSubscription(shared, onChange)
    }

    // MARK: Operations

    /// Runs a body on the recorder's thread, behind everything recorded before; the answer comes
    /// on that thread.
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

    /// Starts an operation that ends with a completion, and waits for it. Not on an event loop.
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
