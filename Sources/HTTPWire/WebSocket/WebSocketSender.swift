/// The sender of the frames in one direction of a WebSocket.
public enum WebSocketSender: Sendable, Hashable {
    /// A client, which masks every frame (RFC 6455 §5.1).
    case client
    /// A server, which masks no frames.
    case server

    /// Whether the sender's frames must be masked.
    public var mustMask: Bool { self == .client }
}
