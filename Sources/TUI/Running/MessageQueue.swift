internal import Glibc
internal import Synchronization

/// Messages from other threads to the drawing thread. A pipe wakes it, to which signal handlers
/// write, too.
final class MessageQueue: Sendable {
    private struct State {
        var messages: [Message] = []
        /// Whether a store change is among them; several count as one.
        var hasStoreChange = false
    }

    private let state = Mutex(State())
    /// The descriptor to poll; readable when there are messages.
    let readEnd: Int32
    /// The descriptor to which signal handlers write signal numbers.
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw WorkFailure("pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func post(_ message: Message) {
        let isNew = state.withLock { state in
            if case .storeChanged = message {
                if state.hasStoreChange { return false }
                state.hasStoreChange = true
            }
            state.messages.append(message)
            return true
        }
        // A full pipe wakes the thread as well.
        var byte: UInt8 = 0
        if isNew { _ = write(writeEnd, &byte, 1) }
    }

    /// Takes all pending messages and signals.
    func take() -> (messages: [Message], signals: [Int32]) {
        var signals: [Int32] = []
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let count = read(readEnd, &bytes, bytes.count)
            guard count > 0 else { break }
            signals += bytes.prefix(count).filter { $0 != 0 }.map { Int32($0) }
        }
        let messages = state.withLock { state in
            defer { state = State() }
            return state.messages
        }
        return (messages, signals)
    }
}
