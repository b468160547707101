internal import Synchronization
internal import ProxydSystem

/// A few threads for blocking calls. They start on demand, up to a limit, and are kept.
final class LookupThreads: Sendable {
    /// The stack size of a lookup thread in bytes: name service modules put large buffers there.
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

    /// Queues a closure; returns false if too many are waiting already, or if no thread can be
    /// started.
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

    /// Ends the threads after the queued closures have run.
    func close() {
        // A signal without queued work ends one thread.
        for _ in 0..<state.withLock({ $0.threadCount }) { work.signal() }
    }

    private func startOne() -> Bool {
        let stackByteCount = LookupThreads.stackByteCount
        let isStarted = startDetachedThread(stackByteCount: stackByteCount) { [self] in
            while let body = next() { body() }
        }
        if isStarted { return true }
        // If there is no thread at all, the closure would never run: its request times out instead.
        return state.withLock { state in
            state.threadCount -= 1
            return state.threadCount > 0
        }
    }

    /// Waits for a closure; nil if the thread must end.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { $0.idleCount += 1 }
        work.wait()
        return state.withLock { state in
            state.idleCount -= 1
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
    }
}
