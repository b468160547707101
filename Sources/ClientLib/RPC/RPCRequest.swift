public import ProxydHTTPModel

/// A gRPC call with messages as bytes, without generated code or descriptors.
///
/// ```swift
/// let call = session.rpc("https://api.test/greet.Greeter/Hello", message: bytes)
/// for try await answer in call.responses { … }
/// ```
/// It uses HTTP/2: negotiated with ALPN for `https`, by prior knowledge for `http`. Both sides send
/// messages independently while the call runs. A status other than OK is `.rpcFailed`. `cancel()`
/// resets the stream, which tells the server.
public final class RPCRequest: ClientRequest {
    /// The implementation that all kinds of requests share.
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

    /// The server's messages as they arrive, decompressed. Iterate them only once; ending the
    /// iteration early cancels the call. Awaiting the first message starts the call if the session
    /// starts requests automatically.
    public var responses: RPCResponses { RPCResponses(request: self, messages: intake.messages) }

    /// The server's only message.
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

    /// The status that the call ended with, or nil before the end and if the server sent none.
    public var status: RPCStatus? { intake.status }

    /// The fields after the server's messages, or those of the head if nothing else arrived.
    public var trailers: HeaderFields? { intake.trailers }
}

/// The messages that the server sends in a call.
public struct RPCResponses: AsyncSequence, Sendable {
    fileprivate let request: RPCRequest
    fileprivate let messages: Handoff<[UInt8]>

    /// Iterates over the messages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let base: PulledStream<[UInt8]>.AsyncIterator
        private let request: RPCRequest

        fileprivate init(_ responses: RPCResponses) {
            request = responses.request
            base = PulledStream(handoff: responses.messages, request: request)
                .makeAsyncIterator()
        }

        /// The next message, or nil after the last.
        /// - Throws: why the call failed.
        public func next() async throws(ClientError) -> [UInt8]? {
            request.core.resumeAutomatically(request)
            return try await base.next()
        }
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
