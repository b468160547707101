internal import Synchronization

/// A value that is set once, later; any number of tasks may wait for it.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([UnsafeContinuation<Value, Never>])
        case there(Value)
    }

    private let state = Mutex(State.waiting([]))

    /// Waits until the value is set.
    var value: Value {
        get async {
            await withUnsafeContinuation { continuation in
                let known: Value? = state.withLock { state in
                    switch state {
                    case .there(let value): return value
                    case .waiting(let others):
                        state = .waiting(others + [continuation])
                        return nil
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    /// Whether the value has been set.
    var isThere: Bool {
        state.withLock { if case .there = $0 { true } else { false } }
    }

    /// Sets the value; only the first call has an effect.
    func fulfil(_ value: Value) {
        let waiting = state.withLock { state -> [UnsafeContinuation<Value, Never>] in
            guard case .waiting(let waiting) = state else { return [] }
            state = .there(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}
