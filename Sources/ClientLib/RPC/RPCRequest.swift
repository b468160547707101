public import ProxydHTTPModel

/// A call of gRPC with messages as bytes: no generated code, no descriptors.
///
/// ```swift
/// let call = session.rpc("https://api.test/greet.Greeter/Hello", message: bytes)
/// for try await answer in call.responses { … }
/// ```
/// It goes over HTTP/2: as TLS agrees on it, or by prior knowledge where the URL is one of `http`.
/// Messages of both directions pass while the call runs, each side at its own pace. A status other
/// than OK is `.rpcFailed`. `cancel()` resets the stream, which tells the server.
public final class RPCRequest: ClientRequest {
    /// The machinery that all kinds share.
    public let core: RequestCore
    private let intake: RPCIntake

    init(_ core: RequestCore, _ intake: RPCIntake) {
        self.core = core
        self.intake = intake
        core.configure { state in
            state.handlers.append(
                ResponseHandler(isParsing: false) { completion, _ in
                    ResponseHandler.Outcome(error: nil) { intake.end(completion.error) }
                })
        }
    }

    /// The messages of the server as they come, decompressed. To be iterated once; ending the
    /// iteration early cancels the call. Asking for the first starts the call where the session
    /// starts requests by itself.
    public var responses: RPCResponses { RPCResponses(request: self, messages: intake.messages) }

    /// The only message of the server.
    /// - Throws: `.rpcFailed`; with status UNIMPLEMENTED if the server sends no message, or more
    ///   than one, as gRPC does for unary calls.
    public func response() async throws(ClientError) -> [UInt8] {
        let iterator = responses.makeAsyncIterator()
        let first = try await iterator.next()
        let second = try await iterator.next()
        guard let first, second == nil else {
            throw ClientError(.rpcFailed(RPCStatus(GRPCStatus(12))))
        }
        return first
    }

    /// How it ended; nil before it did, and where the server did not say.
    public var status: RPCStatus? { intake.status }

    /// The fields behind the server's messages; those of its head where nothing else came.
    public var trailers: HeaderFields? { intake.trailers }
}

/// The messages of a call's server.
public struct RPCResponses: AsyncSequence, Sendable {
    fileprivate let request: RPCRequest
    fileprivate let messages: Handoff<[UInt8]>

    /// Asks for the messages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let base: PulledStream<[UInt8]>.AsyncIterator
        private let request: RPCRequest

        fileprivate init(_ responses: RPCResponses) {
            request = responses.request
            base = PulledStream(handoff: responses.messages, request: request)
                .makeAsyncIterator()
        }

        /// The next message; nil behind the last.
        /// - Throws: why the call failed.
        public func next() async throws(ClientError) -> [UInt8]? {
            request.core.resumeAutomatically(request)
            return try await base.next()
        }
    }

    /// Begins.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
