public import ProxydHTTPModel

/// Which messages of an exchange a test looks at.
public struct FilterMessages: Sendable, Hashable {
    /// What they are; nil where that does not matter.
    public let kinds: [MessageRecord.Kind]?
    /// Which way they went; nil where that does not matter.
    public let direction: MessageRecord.Direction?

    /// Those of some kinds that went one way; all, unless told otherwise.
    public init(
        kinds: [MessageRecord.Kind]? = nil, direction: MessageRecord.Direction? = nil
    ) {
        self.kinds = kinds
        self.direction = direction
    }

    /// All.
    static let all = FilterMessages()
    /// Server-sent events.
    static let events = FilterMessages(kinds: [.event])
    /// Closing frames of WebSockets.
    static let closings = FilterMessages(kinds: [.close])
    /// The last messages of gRPC-Web and Connect.
    static let trailers = FilterMessages(kinds: [.trailers], direction: .toClient)

    /// Those of a WebSocket, control frames among them.
    static func webSocket(_ direction: MessageRecord.Direction? = nil) -> FilterMessages {
        FilterMessages(kinds: [.text, .binary, .close, .ping, .pong], direction: direction)
    }

    /// Whether a message is one of them.
    public func contains(_ message: some MessageFilterSubject) -> Bool {
        if let kinds, !kinds.contains(message.kind) { return false }
        return direction.map { $0 == message.direction } ?? true
    }
}
