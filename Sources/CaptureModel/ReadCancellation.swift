internal import Synchronization

/// Ends reads of a store from another thread: reads inside `run` throw `StoreError.cancelled` soon
/// after `cancel` is called, even in the middle of a statement.
public final class ReadCancellation: Sendable {
    /// The cancellation that can end reads of the current task, or nil if there is none.
    @TaskLocal package static var current: ReadCancellation?

    /// Whether reads of the current task are to end.
    package static var isCurrentCancelled: Bool { current?.isCancelled == true }

    private struct State {
        var isCancelled = false
        /// Interrupts the read that is in progress.
        var interrupt: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Creates a cancellation that has not been requested yet.
    public init() {}

    /// Whether `cancel` was called.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the current read and all later ones.
    public func cancel() {
        state.withLock {
            $0.isCancelled = true
            $0.interrupt?()
        }
    }

    /// Runs a closure whose reads on this thread end when this is cancelled.
    public func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try ReadCancellation.$current.withValue(self, operation: body)
    }

    /// Runs a read that `interrupt` can end from any thread. The caller ensures that no other
    /// caller's read can be interrupted instead.
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
