public import ProxydHTTPModel
internal import Synchronization

/// A request that delivers its response in pieces and stores none of it.
///
/// While a piece is being handled, no more is read from the network: a slow program slows the
/// server down instead of filling its own memory.
public final class DataStreamRequest: ClientRequest {
    public let core: RequestCore
    let pieces: StreamPieces
    /// Whether a piece that cannot be converted to a value ends the request.
    let isCancelledByErrors: Bool

    init(_ core: RequestCore, pieces: StreamPieces, isCancelledByErrors: Bool) {
        self.core = core
        self.pieces = pieces
        self.isCancelledByErrors = isCancelledByErrors
    }

    /// The argument of a stream handler. `Failure` is `Never` if every piece has a value.
    public struct Stream<Value: Sendable, Failure: Error>: Sendable {
        public let event: Event<Value, Failure>
        /// Cancels the request; can be stored anywhere.
        public let token: CancellationToken

        public func cancel() { token.cancel() }

        /// The value of a piece, or nil at the end and for a piece that could not be converted.
        public var value: Value? {
            if case .stream(.success(let value)) = event { value } else { nil }
        }
        /// How the stream ended, or nil before the end.
        public var completion: Completion? {
            if case .complete(let completion) = event { completion } else { nil }
        }
    }

    public struct CancellationToken: Sendable {
        let request: DataStreamRequest

        public func cancel() { request.cancel() }
    }

    public enum Event<Value: Sendable, Failure: Error>: Sendable {
        /// A piece arrived; a failure if it could not be converted to a value.
        case stream(Result<Value, Failure>)
        case complete(Completion)
    }

    public struct Completion: Sendable {
        /// The request that was sent last, or nil if none could be sent.
        public let request: HTTPRequest?
        public let response: ResponseHead?
        public let timeline: RequestTimeline
        /// Why the stream ended early, or nil if it did not.
        public let error: ClientError?
    }
}

/// Passes the pieces of a response to all handlers, one after another.
final class StreamPieces: BodyConsumer {
    typealias Handler = @Sendable ([UInt8]) async throws(ClientError) -> Void

    private let handlers = Mutex<[Handler]>([])

    let wantsPiecesAtOnce = true
    let isValidatedAtHead: Bool

    /// With `isValidatedAtHead`, no handler gets pieces of a response that validators reject.
    init(isValidatedAtHead: Bool = false) { self.isValidatedAtHead = isValidatedAtHead }

    /// Adds a handler for pieces. An error that it throws ends the request.
    func add(_ handler: @escaping Handler) { handlers.withLock { $0.append(handler) } }

    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError) {}

    func take(_ bytes: [UInt8]) async throws(ClientError) {
        for handler in handlers.withLock({ $0 }) { try await handler(bytes) }
    }

    func finish(_ completion: inout RequestOutcome) async throws(ClientError) {}
}

/// A sequence of values, each produced when it is requested.
public struct PulledStream<Element: Sendable>: AsyncSequence, Sendable {
    let handoff: Handoff<Element>
    let request: any ClientRequest

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

        public func next() async throws(ClientError) -> Element? {
            let (handoff, request) = (handoff, request)
            return try await withTaskCancellationHandler {
                await handoff.take()
            } onCancel: {
                request.cancel()
            }.get()
        }
    }

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
