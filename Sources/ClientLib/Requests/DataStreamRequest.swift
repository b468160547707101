public import ProxydHTTPModel

/// A request that delivers its response in pieces and stores none of it.
///
/// While a piece is being handled, no more is read from the network: a slow program slows the
/// server down instead of filling its own memory.
public final class DataStreamRequest: ClientRequest {
    /// The implementation that all kinds of requests share.
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
        /// The event: a piece, or the end.
        public let event: Event<Value, Failure>
        /// Cancels the request; can be stored anywhere.
        public let token: CancellationToken

        /// Cancels the request.
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

    /// Cancels the request of a stream.
    public struct CancellationToken: Sendable {
        let request: DataStreamRequest

        /// Cancels the request.
        public func cancel() { request.cancel() }
    }

    /// An event of a stream.
    public enum Event<Value: Sendable, Failure: Error>: Sendable {
        /// A piece arrived; a failure if it could not be converted to a value.
        case stream(Result<Value, Failure>)
        /// The stream has ended.
        case complete(Completion)
    }

    /// How a stream ended.
    public struct Completion: Sendable {
        /// The request that was sent last, or nil if none could be sent.
        public let request: HTTPRequest?
        /// The head of the response, or nil if none arrived.
        public let response: ResponseHead?
        /// When each step of the request happened.
        public let timeline: RequestTimeline
        /// Why the stream ended early, or nil if it did not.
        public let error: ClientError?
    }
}
