internal import Synchronization

/// Runs the operations of several tasks one after another, first come, first served.
final class SendingTurns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
        var firstWaiting = 0

        mutating func advance() {
            firstWaiting += 1
            guard firstWaiting >= 64, firstWaiting * 2 >= waiting.count else { return }
            waiting.removeFirst(firstWaiting)
            firstWaiting = 0
        }
    }

    private let state = Mutex(State())

    /// Runs an operation when it is the caller's turn.
    func hold<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await take()
        defer { pass() }
        return try await body()
    }

    private func take() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func pass() {
        let next = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.firstWaiting < state.waiting.count else {
                state = State()
                return nil
            }
            defer { state.advance() }
            return state.waiting[state.firstWaiting]
        }
        next?.resume()
    }
}
