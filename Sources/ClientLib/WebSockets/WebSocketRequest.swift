internal import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydHTTPWire
public import FoundationEssentials

/// A WebSocket (RFC 6455): messages in both directions over one connection.
///
/// ```swift
/// let socket = session.webSocketRequest("wss://chat.test/room")
/// try await socket.send("hello")
/// for try await message in socket.messages { … }
/// ```
/// The opening is a request like any other: adapters, cookies, redirects, challenges and retriers
/// apply. Once the WebSocket is open, nothing is retried, and the session's idle and total time
/// limits no longer apply: `Configuration.pingInterval` detects a server that is gone.
///
/// `suspend()` pauses reading; `cancel()` sends code 1001 and closes immediately.
public final class WebSocketRequest: ClientRequest {
    public let core: RequestCore
    let conversation: WebSocketConversation

    init(_ core: RequestCore, _ conversation: WebSocketConversation) {
        self.core = core
        self.conversation = conversation
        core.configure { state in
            state.handlers.append(
                ResponseHandler(isParsing: false) { completion, record in
                    let end = Completion(
                        request: completion.request, response: completion.response,
                        data: completion.data, timeline: record.timeline, error: completion.error)
                    return ResponseHandler.Outcome(error: nil) { conversation.end(with: end) }
                })
        }
    }

    public typealias CloseCode = ClientError.CloseCode

    public var configuration: Configuration { conversation.configuration }

    /// The subprotocol that the server selected, or nil before the opening and if there is none.
    public var negotiatedProtocol: String? { conversation.agreement?.subprotocol }

    /// Whether the server agreed that messages may be compressed.
    public var isCompressed: Bool { conversation.agreement?.compression != nil }

    /// The server's close code, or nil if it has not closed the WebSocket.
    public var closeCode: CloseCode? { conversation.serverClosing.map(CloseCode.init) }

    /// The server's reason for closing, or nil if it has not closed the WebSocket.
    public var closeReason: String? { conversation.serverClosing?.reason }

    /// Accepts any opening response. It is always checked, before all validators, that the response
    /// opens a WebSocket.
    @discardableResult
    public func validate() -> Self { self }

    /// Rejects opening responses for which `validation` throws. It gets the request and the head of
    /// the response; nothing has been sent over the WebSocket yet, and it has not been reported as
    /// open.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (HTTPRequest?, ResponseHead) throws -> Void
    ) -> Self {
        addValidator(throwing: { completion, response in
            try validation(completion.request, response)
        })
    }

    public struct Configuration: Sendable {
        /// Subprotocols in order of preference; the server selects one or none of them (RFC 6455
        /// §1.9).
        public var protocols: [String]
        /// The largest accepted message in bytes after decompression. A larger one closes the
        /// WebSocket with 1009, and it fails with `.messageTooLarge`.
        public var maximumMessageSize: Int
        /// The interval between pings to the server; nil for none. If no data has arrived when the
        /// next ping is due, the WebSocket fails with `.pingTimedOut`.
        public var pingInterval: Duration?
        /// Whether permessage-deflate is offered (RFC 7692): the server decides whether messages
        /// are compressed.
        public var offersCompression = true
        /// The protocols to use with the server, in order of preference. Over HTTP/2 it is opened
        /// with extended CONNECT (RFC 8441), on a connection shared with other requests; it fails
        /// if a server accepts HTTP/2 but not extended CONNECT.
        public var httpProtocols: [HTTPProtocol] = [.http11]
        /// How long the server may take to answer a close frame before the connection is closed
        /// anyway.
        public var closeTimeout: Duration = .seconds(10)
        /// The clock that measures intervals; tests use their own.
        public var clock: any Clock<Duration> = ContinuousClock()

        public init(
            protocols: [String] = [], maximumMessageSize: Int = 1 << 20,
            pingInterval: Duration? = nil
        ) {
            self.protocols = protocols
            self.maximumMessageSize = maximumMessageSize
            self.pingInterval = pingInterval
        }

        public static var `default`: Configuration { Configuration() }

        public static func `protocol`(_ name: String) -> Configuration {
            Configuration(protocols: [name])
        }

        /// The default settings with another limit for messages, in bytes.
        public static func maximumMessageSize(_ byteCount: Int) -> Configuration {
            Configuration(maximumMessageSize: byteCount)
        }

        public static func pingInterval(_ interval: Duration) -> Configuration {
            Configuration(pingInterval: interval)
        }
    }

    /// A message of a WebSocket. The names are those of `URLSession`.
    public enum Message: Sendable, Hashable {
        /// Text, which is sent as UTF-8.
        case string(String)
        case data([UInt8])

        public var bytes: [UInt8] {
            switch self {
            case .string(let text): Array(text.utf8)
            case .data(let bytes): bytes
            }
        }

        public var byteCount: Int {
            switch self {
            case .string(let text): text.utf8.count
            case .data(let bytes): bytes.count
            }
        }

        public var string: String? { if case .string(let text) = self { text } else { nil } }
    }

    /// An event of a WebSocket. `Success` is the type that messages are converted to; `Failure` is
    /// `Never` if every conversion succeeds.
    public struct Event<Success: Sendable, Failure: Error>: Sendable {
        public enum Kind: Sendable {
            /// The WebSocket is open, with the subprotocol that the server selected or nil for
            /// none.
            case connected(protocol: String?)
            case receivedMessage(Success)
            /// A message has arrived that could not be converted to a value.
            case serializerFailed(Failure)
            /// The WebSocket was closed with a closing handshake, with the server's code and
            /// reason.
            case disconnected(closeCode: CloseCode, reason: String)
            /// Nothing more follows. Always the last event.
            case completed(Completion)
        }

        public let kind: Kind

        public var message: Success? {
            if case .receivedMessage(let message) = kind { message } else { nil }
        }
        public var completion: Completion? {
            if case .completed(let completion) = kind { completion } else { nil }
        }
    }

    public struct Completion: Sendable {
        /// The request that opened the WebSocket, or tried to.
        public let request: HTTPRequest?
        public let response: ResponseHead?
        /// The first 64 KiB of the body if the server refused the WebSocket; otherwise nil.
        public let data: [UInt8]?
        public let timeline: RequestTimeline
        /// Why the WebSocket failed, or nil if it was closed normally.
        public let error: ClientError?
    }
}

/// The methods here start the request if the session starts requests automatically, and wait until
/// the WebSocket is open.
extension WebSocketRequest {
    /// Sends a message, and waits until there is room for more: a server that reads slowly slows
    /// the program down. Messages of several tasks are sent in the order of the calls. A message is
    /// sent even if its task is cancelled while waiting.
    /// - Throws: why the WebSocket was not opened; `.webSocketFailed(.notOpen)` once it is closed.
    public func send(_ message: Message) async throws(ClientError) {
        core.resumeAutomatically(self)
        try await conversation.send(message)
    }

    public func send(_ text: String) async throws(ClientError) {
        try await send(.string(text))
    }

    public func send(_ bytes: [UInt8]) async throws(ClientError) {
        try await send(.data(bytes))
    }

    /// Sends a value as JSON in a text message.
    /// - Throws: also `.parameterEncodingFailed`.
    @_disfavoredOverload
    public func send(
        _ value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) async throws(ClientError) {
        let bytes: Data
        do {
            bytes = try encoder.encode(value)
        } catch {
            throw .wrapping(error, as: .parameterEncodingFailed)
        }
        try await send(.string(String(decoding: bytes, as: UTF8.self)))
    }

    /// Waits until the WebSocket is open.
    /// - Throws: why it was not opened.
    public func opened() async throws(ClientError) {
        core.resumeAutomatically(self)
        try await conversation.opening.value.get()
    }

    /// Sends a ping and waits for its answer, which arrives after messages that were not read yet.
    /// - Returns: how long the answer took.
    @discardableResult
    public func sendPing() async throws(ClientError) -> Duration {
        core.resumeAutomatically(self)
        let payload = conversation.pings.begin()
        defer { conversation.pings.forget(payload) }
        let startNs = EventLoop.monotonicNow()
        try await conversation.sendPing(payload)
        return .nanoseconds(try await conversation.pings.answer(to: payload) - startNs)
    }

    /// Closes the WebSocket after the data already sent, and waits until the server has answered
    /// and the connection is closed: at most `Configuration.closeTimeout`. Messages that arrive in
    /// the meantime are delivered only to consumers that read immediately. A WebSocket that is not
    /// open yet is cancelled.
    /// - Parameters:
    ///   - code: why; codes from 3000 on are defined by applications.
    ///   - reason: readable text of at most 123 bytes of UTF-8; the rest is cut off.
    /// - Throws: `.webSocketFailed(.badCloseCode)`; why there was no closing handshake.
    public func close(
        with code: CloseCode = .normalClosure, reason: String = ""
    ) async throws(ClientError) {
        guard code.mayBeSent else { throw ClientError(.webSocketFailed(.badCloseCode(code))) }
        try await close(WebSocketClosing(code: code.rawValue, reason: reason))
    }

    func close(_ closing: WebSocketClosing) async throws(ClientError) {
        guard conversation.opening.isThere else {
            cancel()
            return
        }
        await conversation.close(closing)
        if let error = await conversation.end.value { throw error }
    }
}

extension WebSocketRequest.CloseCode {
    /// The server's close code; 1005 if it sent none.
    init(_ closing: WebSocketClosing) {
        self = closing.code.map(WebSocketRequest.CloseCode.init) ?? .noStatusReceived
    }
}

extension WebSocketRequest {
    /// Messages as they arrive. The sequence ends when the server closes the WebSocket with 1000,
    /// 1001 or no code, or when this side closes it; it throws the error for any other end.
    public var messages: WebSocketSequence<Message, ClientError> { messages() }

    /// All events as they happen; `.completed` is the last.
    public var events: WebSocketSequence<Event<Message, Never>, Never> { events() }

    /// Messages as they arrive. Without `automaticallyCancelling`, the WebSocket stays open when
    /// the iteration ends early.
    public func messages(
        automaticallyCancelling: Bool = true
    ) -> WebSocketSequence<Message, ClientError> {
        WebSocketSequence(self, automaticallyCancelling) { event throws(ClientError) in
            if let error = event.completion?.error { throw error }
            return event.message
        }
    }

    public func events(
        automaticallyCancelling: Bool = true
    ) -> WebSocketSequence<Event<Message, Never>, Never> {
        WebSocketSequence(self, automaticallyCancelling) { $0 }
    }

    /// Messages decoded to values, by default from JSON.
    /// - Returns: a sequence that also throws `.responseSerializationFailed` for a message that
    ///   cannot be decoded; the next call returns the next message.
    public func messages<Value: Decodable & Sendable>(
        of type: Value.Type, decoder: any DataDecoder = JSONDecoder(),
        automaticallyCancelling: Bool = true
    ) -> WebSocketSequence<Value, ClientError> {
        WebSocketSequence(self, automaticallyCancelling) { event throws(ClientError) in
            if let error = event.completion?.error { throw error }
            guard let message = event.message else { return nil }
            return try WebSocketRequest.value(of: message, decoder)
        }
    }

    /// A message that cannot be decoded is an event too.
    public func events<Value: Decodable & Sendable>(
        of type: Value.Type, decoder: any DataDecoder = JSONDecoder(),
        automaticallyCancelling: Bool = true
    ) -> WebSocketSequence<Event<Value, ClientError>, Never> {
        WebSocketSequence(self, automaticallyCancelling) { event in
            switch event.kind {
            case .connected(let name): return Event(kind: .connected(protocol: name))
            case .disconnected(let code, let reason):
                return Event(kind: .disconnected(closeCode: code, reason: reason))
            case .completed(let completion): return Event(kind: .completed(completion))
            case .receivedMessage(let message):
                do throws(ClientError) {
                    let value: Value = try WebSocketRequest.value(of: message, decoder)
                    return Event(kind: .receivedMessage(value))
                } catch {
                    return Event(kind: .serializerFailed(error))
                }
            }
        }
    }

    private static func value<Value: Decodable>(
        of message: Message, _ decoder: any DataDecoder
    ) throws(ClientError) -> Value {
        do {
            return try decoder.decode(Value.self, from: Data(message.bytes))
        } catch {
            throw ClientError(.responseSerializationFailed(.decodingFailed), underlying: error)
        }
    }
}
