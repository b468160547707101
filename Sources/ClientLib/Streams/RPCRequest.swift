internal import ProxydContentCoding
public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import Synchronization

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
    public let core: RequestCore
    private let reader: RPCResponseReader

    init(_ core: RequestCore, _ reader: RPCResponseReader) {
        self.core = core
        self.reader = reader
        core.configure { state in
            state.handlers.append(
                ResponseHandler(isParsing: false) { completion, _ in
                    ResponseHandler.Outcome(error: nil) { reader.end(completion.error) }
                })
        }
    }

    /// The server's messages as they arrive, decompressed. Iterate them only once; ending the
    /// iteration early cancels the call. Awaiting the first message starts the call if the session
    /// starts requests automatically.
    public var responses: RPCResponses { RPCResponses(request: self, messages: reader.messages) }

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
    public var status: RPCStatus? { reader.status }

    /// The fields after the server's messages, or those of the head if nothing else arrived.
    public var trailers: HeaderFields? { reader.trailers }
}

/// The messages that the server sends in a call.
public struct RPCResponses: AsyncSequence, Sendable {
    fileprivate let request: RPCRequest
    fileprivate let messages: Handoff<[UInt8]>

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

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension Session {
    /// Creates a gRPC call with one message.
    ///
    /// - Parameters:
    ///   - url: server and method: `https://host/package.Service/Method`.
    ///   - headers: metadata; values of names that end in `-bin` must already be base64.
    ///   - timeout: the deadline: the server is told, and the call fails with `.timedOut(.total)`.
    ///   - maximumMessageSize: the largest message accepted from the server, in bytes after
    ///     decompression.
    public func rpc(
        _ url: some URLConvertible, message: [UInt8], headers: HeaderFields? = nil,
        timeout: Duration? = nil, maximumMessageSize: Int = 4 << 20,
        interceptor: (any RequestInterceptor)? = nil
    ) -> RPCRequest {
        rpc(
            url, messages: [message], headers: headers, timeout: timeout,
            maximumMessageSize: maximumMessageSize, interceptor: interceptor)
    }

    /// Creates a gRPC call whose messages are all known in advance.
    public func rpc(
        _ url: some URLConvertible, messages: [[UInt8]], headers: HeaderFields? = nil,
        timeout: Duration? = nil, maximumMessageSize: Int = 4 << 20,
        interceptor: (any RequestInterceptor)? = nil
    ) -> RPCRequest {
        rpc(url, headers, timeout, maximumMessageSize, interceptor) {
            var bytes: [UInt8] = []
            for message in messages { bytes += try RPCMessage.bytes(message) }
            return .bytes(bytes)
        }
    }

    /// Creates a gRPC call whose messages are produced while it runs: each is requested when there
    /// is room for it. The call cannot be sent a second time.
    public func rpc<Messages: AsyncSequence & Sendable>(
        _ url: some URLConvertible, messages: Messages, headers: HeaderFields? = nil,
        timeout: Duration? = nil, maximumMessageSize: Int = 4 << 20,
        interceptor: (any RequestInterceptor)? = nil
    ) -> RPCRequest where Messages.Element == [UInt8] {
        let body = HTTPBody.stream(BodyStream(RPCMessages(messages: messages)))
        return rpc(url, headers, timeout, maximumMessageSize, interceptor) { body }
    }

    private func rpc(
        _ url: some URLConvertible, _ headers: HeaderFields?, _ timeout: Duration?,
        _ maximumMessageSize: Int, _ interceptor: (any RequestInterceptor)?,
        body: @escaping @Sendable () throws -> HTTPBody
    ) -> RPCRequest {
        let reader = RPCResponseReader(messageByteCountMax: maximumMessageSize)
        let timeouts = configuration.timeouts
        let shared = RequestCore(host: core, consumer: reader) {
            var request = HTTPRequest(method: .post, url: try url.asURL(), body: try body())
            request.fields = headers ?? HeaderFields()
            request.prepareForCall(timeout)
            var limits = timeouts
            // A call without a deadline may stay silent indefinitely.
            limits.idle = .seconds(3_155_760_000)
            limits.total = timeout ?? limits.total
            request.timeouts = limits
            return request
        }
        return core.adopt(RPCRequest(shared, reader), interceptor)
    }
}

extension HTTPRequest {
    /// Adds the fields that every call needs (gRPC's PROTOCOL-HTTP2.md, "Requests") unless the
    /// request already has them.
    fileprivate mutating func prepareForCall(_ timeout: Duration?) {
        protocols = [HTTPProtocol.onlyHTTP2(scheme: url.scheme)]
        wantsTunnel = true
        var usual = [
            ("te", "trailers"), ("content-type", "application/grpc"),
            ("grpc-accept-encoding", "identity,gzip,deflate"),
        ]
        if let timeout { usual.append(("grpc-timeout", RPCTimeout.value(timeout))) }
        for (name, value) in usual where fields[name] == nil {
            fields.append(name: name, value: value)
        }
    }
}

/// Splits a call's response into messages and the final status.
final class RPCResponseReader: BodyConsumer {
    private struct State {
        var decoder: PrefixedMessageDecoder
        var codings: [Coding] = []
        var call: (any TransportCall)?
        var head: ResponseHead?
        var trailers: HeaderFields?
        var hasGiven = false
    }

    let messages = Handoff<[UInt8]>()
    private let messageByteCountMax: Int
    private let state: Mutex<State>

    let wantsPiecesAtOnce = true
    let isValidatedAtHead = true
    /// A call is not retried after a message has been delivered.
    var isRetryable: Bool { state.withLock { !$0.hasGiven } }

    init(messageByteCountMax: Int) {
        self.messageByteCountMax = messageByteCountMax
        state = Mutex(
            State(decoder: PrefixedMessageDecoder(messageByteCountMax: messageByteCountMax)))
    }

    var trailers: HeaderFields? { state.withLock { $0.trailers } }
    var status: RPCStatus? { trailers.flatMap { RPCStatus($0) } }

    func begin(over call: any TransportCall) { state.withLock { $0.call = call } }

    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError) {
        guard head.status == 200 else {
            throw ClientError(.responseValidationFailed(.unacceptableStatusCode(code: head.status)))
        }
        guard MessageFraming(head.fields) == .grpc else {
            let actual = head.fields.value(.contentType) ?? ""
            throw ClientError(
                .responseValidationFailed(
                    .unacceptableContentType(acceptable: ["application/grpc"], actual: actual)))
        }
        let codings: [Coding]
        do throws(ContentCodingError) {
            codings = try Coding.list(head.fields["grpc-encoding"] ?? "")
        } catch {
            throw ClientError(.decodingFailed(error))
        }
        let limit = messageByteCountMax
        state.withLock { state in
            state.head = head
            state.codings = codings
            state.trailers = nil
            state.decoder = PrefixedMessageDecoder(messageByteCountMax: limit)
        }
    }

    func take(_ bytes: [UInt8]) async throws(ClientError) {
        var found: [PrefixedMessage] = []
        do throws(PrefixedMessageDecoder.Failure) {
            try state.withLock { state throws(PrefixedMessageDecoder.Failure) in
                try state.decoder.receive(bytes.span, into: &found)
            }
        } catch {
            throw tooLarge
        }
        for message in found {
            let content = try content(of: message)
            state.withLock { $0.hasGiven = true }
            guard await messages.give(content) else { throw ClientError(.explicitlyCancelled) }
        }
    }

    func finish(_ completion: inout RequestOutcome) async throws(ClientError) {
        // A call that failed before its first message has its trailers in the head (Trailers-Only).
        let (trailers, isTruncated) = state.withLock { state in
            state.trailers = state.call?.report.trailers ?? state.head?.fields
            return (state.trailers, (try? state.decoder.finish()) == nil)
        }
        guard let status = trailers.flatMap({ RPCStatus($0) }) else {
            throw ClientError(.rpcFailed(RPCStatus(GRPCStatus(2), message: "no status")))
        }
        guard status.isOK else { throw ClientError(.rpcFailed(status)) }
        if isTruncated { throw ClientError(.network(.closedEarly), phase: .receive) }
    }

    func end(_ error: ClientError?) { messages.end(error) }

    private var tooLarge: ClientError { ClientError(.messageTooLarge(limit: messageByteCountMax)) }

    /// The message, decompressed if necessary.
    private func content(of message: PrefixedMessage) throws(ClientError) -> [UInt8] {
        guard message.prefix.isCompressed else { return message.payload }
        let codings = state.withLock { $0.codings }
        // A compressed message without a declared encoding violates the protocol.
        guard !codings.isEmpty else {
            throw ClientError(.rpcFailed(RPCStatus(GRPCStatus(13), message: "no grpc-encoding")))
        }
        do throws(ContentCodingError) {
            let limits = DecodingLimits(decodedByteCountMax: messageByteCountMax)
            let decoder = try ContentDecoder(codings, limits: limits)
            var content: [UInt8] = []
            try decoder.decode(message.payload.span, into: &content)
            try decoder.finish()
            return content
        } catch .overLimit {
            throw tooLarge
        } catch {
            throw ClientError(.decodingFailed(error))
        }
    }
}

/// A client's messages, each with its length prefix.
struct RPCMessages<Messages: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Messages.Element == [UInt8] {
    let messages: Messages

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: Messages.AsyncIterator

        mutating func next() async throws -> [UInt8]? {
            guard let message = try await base.next() else { return nil }
            return try RPCMessage.bytes(message)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: messages.makeAsyncIterator()) }
}

/// One uncompressed message in its wire format.
enum RPCMessage {
    /// - Throws: `.messageTooLarge` if the length does not fit in the prefix.
    static func bytes(_ message: [UInt8]) throws(ClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(message.count + MessagePrefix.byteCount)
        guard MessagePrefix.write(message.span, into: &bytes) else {
            throw ClientError(.messageTooLarge(limit: Int(UInt32.max)), fault: .caller)
        }
        return bytes
    }
}

/// Formats the value of `grpc-timeout` (gRPC's PROTOCOL-HTTP2.md, "Timeout").
enum RPCTimeout {
    /// The units, the finest first, each with its length in nanoseconds.
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("n", 1), ("u", 1_000), ("m", 1_000_000), ("S", 1_000_000_000),
        ("M", 60_000_000_000), ("H", 3_600_000_000_000),
    ]

    /// At most eight digits and a unit, rounded up; uses the finest unit that fits.
    static func value(_ duration: Duration) -> String {
        let nanoseconds = max(1, duration.nanoseconds)
        for unit in units {
            let (count, rest) = nanoseconds.quotientAndRemainder(dividingBy: unit.nanoseconds)
            let roundedUp = rest == 0 ? count : count + 1
            if roundedUp <= 99_999_999 { return "\(roundedUp)\(unit.name)" }
        }
        return "99999999H"
    }
}
