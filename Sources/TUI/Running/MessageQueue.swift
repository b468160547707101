internal import Glibc
internal import Synchronization

/// What other threads tell the drawing thread. A pipe wakes it, which signal handlers write to,
/// too.
final class MessageQueue: Sendable {
    private struct State {
        var messages: [Message] = []
        /// Whether news of the store is among them: one is as good as many.
        var hasStoreChange = false
    }

    private let state = Mutex(State())
    /// What to wait on; readable when there is something.
    let readEnd: Int32
    /// What a signal handler writes its number to.
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
        // A full pipe wakes as well.
        var octet: UInt8 = 0
        if isNew { _ = write(writeEnd, &octet, 1) }
    }

    /// All messages so far, and the signals that came.
    func take() -> (messages: [Message], signals: [Int32]) {
        var signals: [Int32] = []
        var octets = [UInt8](repeating: 0, count: 256)
        while true {
            let count = read(readEnd, &octets, octets.count)
            guard count > 0 else { break }
            signals += octets.prefix(count).filter { $0 != 0 }.map { Int32($0) }
        }
        let messages = state.withLock { state in
            defer { state = State() }
            return state.messages
        }
        return (messages, signals)
    }
}
