internal import Synchronization

/// The newest ping of a server that is to be answered; older ones need no answer (RFC 6455 §5.5.3).
final class WebSocketPongs: Sendable {
    private struct State {
        var payload: [UInt8]?
        var isSending = false
    }

    private let state = Mutex(State())

    /// Notes a ping; says whether no one is sending answers, so that the caller must.
    func mustStart(with payload: [UInt8]) -> Bool {
        state.withLock { state in
            state.payload = payload
            defer { state.isSending = true }
            return !state.isSending
        }
    }

    /// What to answer next; nil where nothing is left, and the sending is over.
    func next() -> [UInt8]? {
        state.withLock { state in
            defer { state.payload = nil }
            state.isSending = state.payload != nil
            return state.payload
        }
    }
}
