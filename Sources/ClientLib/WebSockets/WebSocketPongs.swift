internal import Synchronization

/// A server's newest ping that must be answered; older ones need no answer (RFC 6455 §5.5.3).
final class WebSocketPongs: Sendable {
    private struct State {
        var payload: [UInt8]?
        var isSending = false
    }

    private let state = Mutex(State())

    /// Records a ping; returns whether the caller must start sending answers because no task is
    /// doing so.
    func mustStart(with payload: [UInt8]) -> Bool {
        state.withLock { state in
            state.payload = payload
            defer { state.isSending = true }
            return !state.isSending
        }
    }

    /// The next payload to answer, or nil if none is left and sending has ended.
    func next() -> [UInt8]? {
        state.withLock { state in
            defer { state.payload = nil }
            state.isSending = state.payload != nil
            return state.payload
        }
    }
}
