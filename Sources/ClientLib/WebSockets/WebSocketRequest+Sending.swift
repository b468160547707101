public import FoundationEssentials
internal import ProxydEventLoops
internal import ProxydHTTPWire

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

    /// Sends text.
    public func send(_ text: String) async throws(ClientError) {
        try await send(.string(text))
    }

    /// Sends bytes.
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
    /// - code: why; codes from 3000 on are defined by applications.
    /// - reason: readable text of at most 123 bytes of UTF-8; the rest is cut off.
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
