internal import ProxydCLibevent
internal import Glibc
internal import Synchronization

/// Work that other threads leave for a loop, and the descriptor that wakes the loop for it.
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

    /// Leaves a piece of work and wakes the loop, unless it is being woken already.
    func append(_ body: @escaping @Sendable () -> Void) {
        let mustWake = state.withLock { state in
            guard !state.isClosed else { return false }
            state.bodies.append(body)
            defer { state.isWakePending = true }
            return !state.isWakePending
        }
        if mustWake { eventfd_write(descriptor, 1) }
    }

    /// Takes all work and leaves an empty array in its place, whose storage is used on.
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

    /// Drops all work, now and from now on.
    func close() {
        // Dropped outside the lock: letting go of a closure may run code that leaves more work.
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.bodies = [] }
            return state.bodies
        }
        _ = dropped
    }
}
