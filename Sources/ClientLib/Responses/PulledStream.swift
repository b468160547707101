internal import Synchronization

/// A sequence of values, each produced when it is requested.
public struct PulledStream<Element: Sendable>: AsyncSequence, Sendable {
    let handoff: Handoff<Element>
    let request: any ClientRequest

    /// Iterates over the values.
    public final class AsyncIterator: AsyncIteratorProtocol {
        private let handoff: Handoff<Element>
        private let request: any ClientRequest

        init(handoff: Handoff<Element>, request: any ClientRequest) {
            self.handoff = handoff
            self.request = request
        }

        deinit {
            handoff.abandon()
            request.cancel()
        }

        /// The next value, or nil at the end.
        public func next() async throws(ClientError) -> Element? {
            let (handoff, request) = (handoff, request)
            return try await withTaskCancellationHandler {
                await handoff.take()
            } onCancel: {
                request.cancel()
            }.get()
        }
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(handoff: handoff, request: request)
    }
}

/// Passes values from one task to another, one at a time: the sender waits until the receiver has
/// taken the value.
final class Handoff<Element: Sendable>: Sendable {
    private struct State {
        var value: Element?
        var end: Result<Element?, ClientError>?
        var isAbandoned = false
        var giver: UnsafeContinuation<Void, Never>?
        var taker: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Sends a value and waits until it has been taken. Returns whether the receiver wants more.
    func give(_ value: Element) async -> Bool {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let wake: UnsafeContinuation<Void, Never>? = state.withLock { state in
                if state.isAbandoned { return continuation }
                state.value = value
                state.giver = continuation
                let taker = state.taker
                state.taker = nil
                return taker
            }
            wake?.resume()
        }
        return !state.withLock { $0.isAbandoned }
    }

    /// Ends the sequence, with an error if it failed.
    func end(_ error: ClientError?) {
        let taker = state.withLock { state in
            state.end = error.map { .failure($0) } ?? .success(nil)
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }

    /// The receiver wants no more values.
    func abandon() {
        let giver = state.withLock { state in
            state.isAbandoned = true
            state.value = nil
            defer { state.giver = nil }
            return state.giver
        }
        giver?.resume()
    }

    private func takeWhatIsThere() -> Result<Element?, ClientError>? {
        var giver: UnsafeContinuation<Void, Never>?
        let result: Result<Element?, ClientError>? = state.withLock { state in
            guard let value = state.value else { return state.end }
            state.value = nil
            giver = state.giver
            state.giver = nil
            return .success(value)
        }
        giver?.resume()
        return result
    }

    /// The next value, or nil at the end. Only one task may call this at a time.
    func take() async -> Result<Element?, ClientError> {
        while true {
            if let result = takeWhatIsThere() { return result }
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let isThere = state.withLock { state in
                    if state.value != nil || state.end != nil { return true }
                    state.taker = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }
}
