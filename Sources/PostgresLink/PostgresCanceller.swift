internal import ProxydCentralStore
internal import ProxydCPostgres
internal import Synchronization

/// Ends the statement that a connection is running, from any thread.
package final class PostgresCanceller: CentralCanceller {
    private struct State: ~Copyable {
        /// Copied from the connection, and independent of it.
        var handle: UInt
        var isCancelled = false
    }

    private let state: Mutex<State>

    init(_ handle: OpaquePointer?) {
        state = Mutex(State(handle: UInt(bitPattern: handle)))
    }

    /// Whether `cancel` was called since the last `reset`.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Asks the server to end the current statement; does nothing if there is none.
    package func cancel() {
        state.withLock { $0.isCancelled = true }
        interrupt()
    }

    /// The same for the connection's own sake, when its reader has enough.
    func interrupt() {
        state.withLock { state in
            guard let handle = OpaquePointer(bitPattern: state.handle) else { return }
            var message = [CChar](repeating: 0, count: 256)
            PQcancel(handle, &message, Int32(message.count))
        }
    }

    /// Forgets earlier calls, before the next statement.
    package func reset() { state.withLock { $0.isCancelled = false } }

    /// Releases the handle, when its connection ends.
    func retire() {
        state.withLock { state in
            if let handle = OpaquePointer(bitPattern: state.handle) { PQfreeCancel(handle) }
            state.handle = 0
        }
    }
}
