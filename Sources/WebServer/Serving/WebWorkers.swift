internal import ProxydSystem
internal import Synchronization

/// A few threads that run handlers, because handlers block on the store.
final class WebWorkers: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isStopped = false
    }

    private static let stackByteCount = 2 << 20

    private let state = Mutex(State())
    private let isReady = Semaphore()
    private let waitingCountMax: Int

    init(waitingCountMax: Int) { self.waitingCountMax = waitingCountMax }

    /// Starts threads; returns whether the system allowed at least one.
    func start(count: Int) -> Bool {
        (0..<count).reduce(false) { isAny, _ in
            startDetachedThread(stackByteCount: WebWorkers.stackByteCount) { self.run() } || isAny
        }
    }

    /// Runs a closure on one of the threads; returns false if too many are waiting.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isStopped, state.waiting.count < waitingCountMax else { return false }
            state.waiting.append(work)
            return true
        }
        if isTaken { isReady.signal() }
        return isTaken
    }

    /// Ends each thread after its current work; what is waiting is dropped.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.waiting = []
        }
        isReady.signal()
    }

    private func run() {
        while true {
            isReady.wait()
            let (work, isStopped) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isStopped)
            }
            if isStopped {
                // The next thread is woken in turn.
                isReady.signal()
                return
            }
            work?()
        }
    }
}
