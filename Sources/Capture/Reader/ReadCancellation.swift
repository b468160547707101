internal import GRDB
internal import Synchronization

/// Ends reads of a store from another thread: what runs inside of `run` throws
/// `StoreError.cancelled` soon after `cancel`, also in the middle of a statement.
public final class ReadCancellation: Sendable {
    @TaskLocal static var current: ReadCancellation?

    private struct State {
        var isCancelled = false
        /// The connection that reads now.
        var queue: DatabaseQueue?
    }

    private let state = Mutex(State())

    /// Nothing is cancelled yet.
    public init() {}

    /// Whether `cancel` was called.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends what runs, and all that would still begin.
    public func cancel() {
        state.withLock {
            $0.isCancelled = true
            $0.queue?.interrupt()
        }
    }

    /// Runs something whose reads on this thread end when this is cancelled.
    public func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try ReadCancellation.$current.withValue(self, operation: body)
    }

    /// Runs a read on a connection that holds the connection's queue: nobody else's read can be
    /// interrupted in its place.
    static func reading<Value>(
        _ queue: DatabaseQueue, _ body: () throws -> Value
    ) throws -> Value {
        guard let current else { return try body() }
        let isCancelled = current.state.withLock { state in
            state.queue = queue
            return state.isCancelled
        }
        defer { current.state.withLock { $0.queue = nil } }
        guard !isCancelled else { throw StoreError.cancelled }
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw StoreError.cancelled
        }
    }
}
