internal import ProxydEventLoops
internal import Synchronization

/// The pings of one WebSocket that wait for their pongs.
final class WebSocketPings: Sendable {
    private enum Answer {
        case awaited(UnsafeContinuation<Result<Int64, ClientError>, Never>?)
        case come(atNs: Int64)
    }

    private struct State {
        var answers: [[UInt8]: Answer] = [:]
        /// The unanswered automatic ping, and what had arrived when it was sent.
        var automatic: [UInt8]?
        var arrivalCount = 0
        var arrivalCountBefore = 0
        var end: ClientError?
    }

    private let state = Mutex(State())

    /// Records that any data has arrived.
    func noteArrival() { state.withLock { $0.arrivalCount &+= 1 } }

    /// The payload of the next automatic ping, or nil if nothing has arrived since the last one.
    func next() -> [UInt8]? {
        state.withLock { state in
            if state.automatic != nil, state.arrivalCount == state.arrivalCountBefore { return nil }
            state.arrivalCountBefore = state.arrivalCount
            let payload = WebSocketPings.payload()
            state.automatic = payload
            return payload
        }
    }

    /// The payload of a new ping whose pong is awaited.
    func begin() -> [UInt8] {
        let payload = WebSocketPings.payload()
        state.withLock { $0.answers[payload] = .awaited(nil) }
        return payload
    }

    func forget(_ payload: [UInt8]) { state.withLock { $0.answers[payload] = nil } }

    /// Waits for a ping's pong.
    /// - Returns: its arrival on the monotonic clock, in nanoseconds.
    func answer(to payload: [UInt8]) async throws(ClientError) -> Int64 {
        defer { forget(payload) }
        return try await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<Int64, ClientError>, Never>) in
            let known: Result<Int64, ClientError>? = state.withLock { state in
                if case .come(let timeNs)? = state.answers[payload] { return .success(timeNs) }
                if let end = state.end { return .failure(end) }
                state.answers[payload] = .awaited(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }.get()
    }

    /// A pong has arrived. One that answers no ping is allowed (RFC 6455 §5.5.3).
    func received(_ payload: [UInt8]) {
        let now = EventLoop.monotonicNow()
        let waiting = state.withLock {
            state -> UnsafeContinuation<Result<Int64, ClientError>, Never>? in
            if state.automatic == payload { state.automatic = nil }
            guard case .awaited(let waiting)? = state.answers[payload] else { return nil }
            state.answers[payload] = .come(atNs: now)
            return waiting
        }
        waiting?.resume(returning: .success(now))
    }

    /// No more pongs will arrive.
    func end(with error: ClientError) {
        let waiting = state.withLock { state in
            state.end = error
            let waiting = state.answers.values.compactMap { answer in
                if case .awaited(let waiting) = answer { waiting } else { nil }
            }
            state.answers = state.answers.filter {
                if case .come = $0.value { true } else { false }
            }
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: .failure(error)) }
    }

    private static func payload() -> [UInt8] {
        withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) }
    }
}

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
