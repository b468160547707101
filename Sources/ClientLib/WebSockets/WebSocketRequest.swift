public import ProxydHTTPModel
internal import ProxydHTTPWire

/// A WebSocket (RFC 6455): messages in both directions over one connection.
///
/// ```swift
/// let socket = session.webSocketRequest("wss://chat.test/room")
/// try await socket.send("hello")
/// for try await message in socket.messages { … }
/// ```
/// What leads to the opening is a request like others: adapters, cookies, redirects, challenges and
/// retriers do what they always do. Once it is open nothing is retried, and the session's limits
/// for silence and for the whole hold no more: `Configuration.pingInterval` tells whether the
/// server is still there.
///
/// `suspend()` pauses reading; `cancel()` sends code 1001 and closes immediately.
public final class WebSocketRequest: ClientRequest {
    /// The implementation that all kinds of requests share.
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
                        data: completion.data, timeline: record.timeline,
                        error: completion.error)
                    return ResponseHandler.Outcome(error: nil) {
                        conversation.end(with: end)
                    }
                })
        }
    }

    /// Why a WebSocket is closed.
    public typealias CloseCode = ClientError.CloseCode

    /// The settings of the WebSocket.
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
}
