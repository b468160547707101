public import ProxydHTTPModel

/// Selects the messages of an exchange that a test looks at.
public struct FilterMessages: Sendable, Hashable {
    /// The kinds of messages to include, or nil for all kinds.
    public let kinds: [MessageRecord.Kind]?
    /// The direction of messages to include, or nil for both.
    public let direction: MessageRecord.Direction?

    /// Selects messages by kind and direction; the defaults select all.
    public init(
        kinds: [MessageRecord.Kind]? = nil, direction: MessageRecord.Direction? = nil
    ) {
        self.kinds = kinds
        self.direction = direction
    }

    /// Every message, of any kind and direction.
    static let all = FilterMessages()
    /// Server-sent events.
    static let events = FilterMessages(kinds: [.event])
    /// Closing frames of WebSockets.
    static let closings = FilterMessages(kinds: [.close])
    /// The last messages of gRPC-Web and Connect.
    static let trailers = FilterMessages(kinds: [.trailers], direction: .toClient)

    /// The messages of a WebSocket, including control frames.
    static func webSocket(_ direction: MessageRecord.Direction? = nil) -> FilterMessages {
        FilterMessages(kinds: [.text, .binary, .close, .ping, .pong], direction: direction)
    }

    /// Whether a message is selected.
    public func contains(_ message: some MessageFilterSubject) -> Bool {
        if let kinds, !kinds.contains(message.kind) { return false }
        return direction.map { $0 == message.direction } ?? true
    }
}
