internal import Synchronization

/// A value that comes later, once; anybody may wait for it.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([UnsafeContinuation<Value, Never>])
        case there(Value)
    }

    private let state = Mutex(State.waiting([]))

    /// The value, as soon as it is there.
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

    /// Whether the value is there.
    var isThere: Bool {
        state.withLock { if case .there = $0 { true } else { false } }
    }

    /// Gives the value; only the first counts.
    func fulfil(_ value: Value) {
        let waiting = state.withLock { state -> [UnsafeContinuation<Value, Never>] in
            guard case .waiting(let waiting) = state else { return [] }
            state = .there(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}
