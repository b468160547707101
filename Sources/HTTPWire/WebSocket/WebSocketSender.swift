/// Who sends the frames of one direction of a WebSocket.
public enum WebSocketSender: Sendable, Hashable {
    /// A client, which masks every frame (RFC 6455 §5.1).
    case client
    /// A server, which masks none.
    case server

    /// Whether its frames must be masked.
    public var mustMask: Bool { self == .client }
}
