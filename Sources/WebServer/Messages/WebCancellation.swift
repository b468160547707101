internal import Synchronization

/// Tells a handler that its client has left, so that long work can end.
public final class WebCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Creates a cancellation that has not been requested.
    public init() {}

    /// Whether the client has left.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Calls a closure once the client leaves, immediately if it already has. A second call
    /// replaces the closure.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.handler = handler
            return state.isCancelled
        }
        if isLate { handler() }
    }

    /// Marks the client as gone.
    func cancel() {
        let handler = state.withLock { state in
            state.isCancelled = true
            defer { state.handler = nil }
            return state.handler
        }
        handler?()
    }
}
