public import ProxydHTTPModel
public import ProxydHTTPWire

/// Observes both directions of a WebSocket (RFC 6455) and reports the messages in them, unmasked
/// and decompressed. It changes and refuses nothing: protocol violations are reported with the
/// message.
///
/// Not thread-safe. Memory is bounded for each direction: the kept bytes of two messages, and
/// zlib's window if messages are compressed.
public final class WebSocketObserver {
    private var toServer: WebSocketFlow
    private var toClient: WebSocketFlow

    /// Creates an observer for a new connection.
    public init(agreement: WebSocketAgreement, limits: MessageLimits = MessageLimits()) {
        toServer = WebSocketFlow(.toServer, agreement: agreement, limits: limits)
        toClient = WebSocketFlow(.toClient, agreement: agreement, limits: limits)
    }

    /// Processes the next bytes of a direction and passes the messages completed by them to `tell`.
    public func receive(
        _ bytes: Span<UInt8>, _ direction: MessageRecord.Direction,
        _ tell: (consuming MessageRecord) -> Void
    ) {
        switch direction {
        case .toServer: toServer.receive(bytes, tell)
        case .toClient: toClient.receive(bytes, tell)
        }
    }

    /// Called when no more bytes follow; passes incomplete messages to `tell`.
    public func end(_ tell: (consuming MessageRecord) -> Void) {
        toServer.end(tell)
        toClient.end(tell)
    }

    /// Whether both sides have sent a close frame (RFC 6455 §7.1.4).
    public var isClosedCleanly: Bool { toServer.isClosed && toClient.isClosed }

    /// Whether either side has sent a close frame.
    public var isClosing: Bool { toServer.isClosed || toClient.isClosed }
}
