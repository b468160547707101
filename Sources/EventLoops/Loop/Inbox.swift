internal import ProxydCLibevent
internal import Glibc
internal import Synchronization

/// Closures from other threads that wait for a loop, and the descriptor that wakes the loop.
final class Inbox: Sendable {
    /// Readable while there is work.
    let descriptor: Int32
    private let state = Mutex(State())

    private struct State {
        var bodies: [@Sendable () -> Void] = []
        var isWakePending = false
        var isClosed = false
    }

    init() throws(StreamError) {
        descriptor = clibevent_wakeup_descriptor()
        guard descriptor >= 0 else { throw StreamError(errorNumber: errno) }
    }

    deinit { Glibc.close(descriptor) }

    /// Queues a closure and wakes the loop, unless a wakeup is already pending.
    func append(_ body: @escaping @Sendable () -> Void) {
        let mustWake = state.withLock { state in
            guard !state.isClosed else { return false }
            state.bodies.append(body)
            defer { state.isWakePending = true }
            return !state.isWakePending
        }
        if mustWake { eventfd_write(descriptor, 1) }
    }

    /// Removes all closures and replaces the array with an empty one, whose storage is reused.
    func take(replacingWith spare: [@Sendable () -> Void]) -> [@Sendable () -> Void] {
        var count = eventfd_t()
        eventfd_read(descriptor, &count)
        return state.withLock { state in
            var other = spare
            swap(&other, &state.bodies)
            state.isWakePending = false
            return other
        }
    }

    /// Drops all closures, now and in the future.
    func close() {
        // Dropped outside the lock: releasing a closure may run code that queues more work.
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.bodies = [] }
            return state.bodies
        }
        _ = dropped
    }
}
