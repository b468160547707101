import Dispatch
import Synchronization

/// Holds threads and tasks up until it is opened; it then stays open.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let semaphore = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// Closed.
    public init() {}

    /// Holds the thread up.
    public func waitOnThread() {
        semaphore.wait()
        semaphore.signal()
    }

    /// Holds the task up.
    public func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Opens it.
    public func open() {
        semaphore.signal()
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
