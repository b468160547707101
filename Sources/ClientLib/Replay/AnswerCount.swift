internal import Synchronization

/// Counts what comes from a server, and lets one task wait for a count.
final class AnswerCount: Sendable {
    private struct State {
        var count = 0
        var isOver = false
        var wanted = 0
        var waiting: UnsafeContinuation<Void, Never>?

        mutating func takeWaiting() -> UnsafeContinuation<Void, Never>? {
            guard isOver || count >= wanted else { return nil }
            defer { waiting = nil }
            return waiting
        }
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// Whether nothing more comes.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// One more came.
    func add() {
        state.withLock { state in
            state.count += 1
            return state.takeWaiting()
        }?.resume()
    }

    /// Nothing more comes.
    func end() {
        state.withLock { state in
            state.isOver = true
            return state.takeWaiting()
        }?.resume()
    }

    /// Lets who waits go on.
    func giveUp() {
        state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }?.resume()
    }

    /// Waits until so many came, nothing more comes, or it is given up.
    func wait(for count: Int) async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isThere = state.withLock { state in
                if state.isOver || state.count >= count { return true }
                state.wanted = count
                state.waiting = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
