internal import Synchronization

/// Ends reads of a store from another thread: what runs inside of `run` throws
/// `StoreError.cancelled` soon after `cancel`, also in the middle of a statement.
public final class ReadCancellation: Sendable {
    /// The one that reads on this thread can be ended by; nil where there is none.
    @TaskLocal package static var current: ReadCancellation?

    private struct State {
        var isCancelled = false
        /// Interrupts what reads now.
        var interrupt: (@Sendable () -> Void)?
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
            $0.interrupt?()
        }
    }

    /// Runs something whose reads on this thread end when this is cancelled.
    public func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try ReadCancellation.$current.withValue(self, operation: body)
    }

    /// Runs a read that `interrupt` ends from any thread. The caller sees to it that nobody else's
    /// read can be interrupted in its place.
    package func reading<Value>(
        interrupt: @escaping @Sendable () -> Void, _ body: () throws -> Value
    ) throws -> Value {
        let isCancelled = state.withLock { state in
            state.interrupt = interrupt
            return state.isCancelled
        }
        defer { state.withLock { $0.interrupt = nil } }
        guard !isCancelled else { throw StoreError.cancelled }
        return try body()
    }
}
