/// Whether a server can be asked to speak another protocol on a stream of HTTP/2 (RFC 8441), so far
/// as its connections have shown.
public enum ExtendedConnectSupport: Sendable, Hashable {
    /// It speaks HTTP/2, and says that it takes extended CONNECT.
    case offered
    /// It speaks HTTP/2, and does not say so.
    case notOffered
    /// It speaks HTTP/1.1: WebSocket is asked for by Upgrade, into which an extended CONNECT is
    /// translated. Other protocols are not.
    case byUpgrade

    /// Whether asking for a WebSocket may succeed.
    public var isUsable: Bool { self != .notOffered }
}
