internal import Synchronization

/// Values that come one after another, each made when it is asked for.
public struct PulledStream<Element: Sendable>: AsyncSequence, Sendable {
    let handoff: Handoff<Element>
    let request: any ClientRequest

    /// Asks for the values.
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

        /// The next value; nil at the end.
        public func next() async throws(ClientError) -> Element? {
            let (handoff, request) = (handoff, request)
            return try await withTaskCancellationHandler {
                await handoff.take()
            } onCancel: {
                request.cancel()
            }.get()
        }
    }

    /// Begins.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(handoff: handoff, request: request)
    }
}

/// Hands values from one task to another, one at a time: who gives waits until who takes has taken.
final class Handoff<Element: Sendable>: Sendable {
    private struct State {
        var value: Element?
        var end: Result<Element?, ClientError>?
        var isAbandoned = false
        var giver: UnsafeContinuation<Void, Never>?
        var taker: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Gives a value and waits until it was taken. Says whether anybody wants more.
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

    /// Nothing more comes.
    func end(_ error: ClientError?) {
        let taker = state.withLock { state in
            state.end = error.map { .failure($0) } ?? .success(nil)
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }

    /// No one wants more.
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

    /// The next value; nil at the end. To be called by one task at a time.
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
