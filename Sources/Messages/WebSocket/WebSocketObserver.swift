public import ProxydHTTPModel
public import ProxydHTTPWire

/// Watches both directions of a WebSocket (RFC 6455) and tells the messages in them, unmasked and
/// decompressed. It changes nothing and refuses nothing: what breaks a rule is told with the rule.
///
/// Not thread-safe. What it holds is bounded for each direction: what is kept of two messages, and
/// zlib's window where messages are compressed.
public final class WebSocketObserver {
    private var toServer: WebSocketFlow
    private var toClient: WebSocketFlow

    /// An observer of a connection that begins.
    public init(agreement: WebSocketAgreement, limits: MessageLimits = MessageLimits()) {
        toServer = WebSocketFlow(.toServer, agreement: agreement, limits: limits)
        toClient = WebSocketFlow(.toClient, agreement: agreement, limits: limits)
    }

    /// Takes the next bytes of a direction and tells the messages that are complete with them.
    public func receive(
        _ bytes: Span<UInt8>, _ direction: MessageRecord.Direction,
        _ tell: (consuming MessageRecord) -> Void
    ) {
        switch direction {
        case .toServer: toServer.receive(bytes, tell)
        case .toClient: toClient.receive(bytes, tell)
        }
    }

    /// Says that no more comes, and tells what is not complete.
    public func end(_ tell: (consuming MessageRecord) -> Void) {
        toServer.end(tell)
        toClient.end(tell)
    }

    /// Whether a close frame came from both sides (RFC 6455 §7.1.4).
    public var isClosedCleanly: Bool { toServer.isClosed && toClient.isClosed }

    /// Whether a close frame came from either side.
    public var isClosing: Bool { toServer.isClosed || toClient.isClosed }
}
