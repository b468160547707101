internal import Synchronization
internal import ProxydSystem

/// A few threads that run what blocks. They start on demand, up to a limit, and stay.
final class LookupThreads: Sendable {
    /// Octets of a look-up thread's stack: name service modules put large buffers there.
    private static let stackByteCount = 512 * 1_024

    private let threadCountMax: Int
    private let waitingCountMax: Int
    private let state = Mutex(State())
    private let work = Semaphore()

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threadCount = 0
        var idleCount = 0
    }

    init(threadCountMax: Int, waitingCountMax: Int) {
        self.threadCountMax = max(1, threadCountMax)
        self.waitingCountMax = waitingCountMax
    }

    /// Leaves a piece of work; false when too much is waiting already, or no thread can be had.
    func run(_ body: @escaping @Sendable () -> Void) -> Bool {
        let mustStart: Bool? = state.withLock { state in
            guard state.waiting.count < waitingCountMax else { return nil }
            state.waiting.append(body)
            guard state.waiting.count > state.idleCount, state.threadCount < threadCountMax
            else { return false }
            state.threadCount += 1
            return true
        }
        guard let mustStart else { return false }
        work.signal()
        return !mustStart || startOne()
    }

    /// Ends the threads when they have done what waits.
    func close() {
        // A signal without work tells a thread to end.
        for _ in 0..<state.withLock({ $0.threadCount }) { work.signal() }
    }

    private func startOne() -> Bool {
        let stackByteCount = LookupThreads.stackByteCount
        let isStarted = startDetachedThread(stackByteCount: stackByteCount) { [self] in
            while let body = next() { body() }
        }
        if isStarted { return true }
        // Without any thread the work would wait for ever: it expires at its own deadline.
        return state.withLock { state in
            state.threadCount -= 1
            return state.threadCount > 0
        }
    }

    /// Waits for work; nil when the threads shall end.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { $0.idleCount += 1 }
        work.wait()
        return state.withLock { state in
            state.idleCount -= 1
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
    }
}
