/// Whether a server supports another protocol on an HTTP/2 stream (RFC 8441), as far as its
/// connections have shown.
public enum ExtendedConnectSupport: Sendable, Hashable {
    /// It speaks HTTP/2 and announces extended CONNECT.
    case offered
    /// It speaks HTTP/2 and does not announce extended CONNECT.
    case notOffered
    /// It speaks HTTP/1.1: an extended CONNECT for WebSocket is translated into an Upgrade. Other
    /// protocols are not supported.
    case byUpgrade

    /// Whether a request for a WebSocket may succeed.
    public var isUsable: Bool { self != .notOffered }
}
