public import ProxydHTTPModel

/// A request whose response is handed on piece by piece and kept nowhere.
///
/// While a piece is being handled, no more is taken from the network: a slow program slows the
/// server down and does not fill its memory.
public final class DataStreamRequest: ClientRequest {
    /// The machinery that all kinds share.
    public let core: RequestCore
    let pieces: StreamPieces
    /// Whether a piece that cannot be turned into a value ends the request.
    let isCancelledByErrors: Bool

    init(_ core: RequestCore, pieces: StreamPieces, isCancelledByErrors: Bool) {
        self.core = core
        self.pieces = pieces
        self.isCancelledByErrors = isCancelledByErrors
    }

    /// What a handler gets. `Failure` is `Never` where every piece has a value.
    public struct Stream<Value: Sendable, Failure: Error>: Sendable {
        /// What happened.
        public let event: Event<Value, Failure>
        /// Gives the request up, from wherever it is kept.
        public let token: CancellationToken

        /// Gives the request up.
        public func cancel() { token.cancel() }

        /// The value of a piece; nil at the end, and for a piece that could not be read.
        public var value: Value? {
            if case .stream(.success(let value)) = event { value } else { nil }
        }
        /// The end; nil before it.
        public var completion: Completion? {
            if case .complete(let completion) = event { completion } else { nil }
        }
    }

    /// Gives a stream's request up.
    public struct CancellationToken: Sendable {
        let request: DataStreamRequest

        /// Gives the request up.
        public func cancel() { request.cancel() }
    }

    /// What happens to a stream.
    public enum Event<Value: Sendable, Failure: Error>: Sendable {
        /// A piece came; a failure where it could not be turned into a value.
        case stream(Result<Value, Failure>)
        /// Nothing more comes.
        case complete(Completion)
    }

    /// How a stream ended.
    public struct Completion: Sendable {
        /// What was sent last.
        public let request: HTTPRequest?
        /// The head of the response.
        public let response: ResponseHead?
        /// When everything happened.
        public let timeline: RequestTimeline
        /// Why it ended early; nil where it did not.
        public let error: ClientError?
    }
}
