internal import Synchronization

/// Counts what comes from a server, and lets one task wait for a count, for a while.
final class AnswerCount: Sendable {
    private typealias Continuation = UnsafeContinuation<Bool, Never>

    private struct State {
        var count = 0
        var isOver = false
        var wanted = 0
        var waitNumber = 0
        /// The newest wait that is not to go on, also where it has not begun yet.
        var expired = 0
        var waiting: Continuation?

        mutating func takeWaiting() -> Continuation? {
            guard isOver || count >= wanted else { return nil }
            defer { waiting = nil }
            return waiting
        }

        /// Begins a wait; what came of it where that is known.
        mutating func wait(_ number: Int, for count: Int, _ continuation: Continuation) -> Bool? {
            if isOver || self.count >= count { return true }
            if expired >= number { return false }
            wanted = count
            waiting = continuation
            return nil
        }
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// Whether nothing more comes, or is waited for.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// One more came.
    func add() {
        state.withLock { state in
            state.count += 1
            return state.takeWaiting()
        }?.resume(returning: true)
    }

    /// Nothing more comes, or is waited for.
    func end() {
        state.withLock { state in
            state.isOver = true
            return state.takeWaiting()
        }?.resume(returning: true)
    }

    /// Waits until this many answers have come or no more can come, but not after `limit` returns.
    /// Returns whether it was in time.
    func wait(
        for count: Int, within limit: @escaping @Sendable () async throws -> Void
    ) async -> Bool {
        let number = state.withLock { state in
            state.waitNumber += 1
            return state.waitNumber
        }
        let timer = Task {
            if (try? await limit()) != nil { giveUp(number) }
        }
        defer { timer.cancel() }
        return await withUnsafeContinuation { (continuation: Continuation) in
            let outcome = state.withLock { $0.wait(number, for: count, continuation) }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    private func giveUp(_ number: Int) {
        state.withLock { state -> Continuation? in
            state.expired = number
            guard state.waitNumber == number else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }?.resume(returning: false)
    }
}
