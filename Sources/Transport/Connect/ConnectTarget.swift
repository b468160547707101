public import TLS

/// Where to connect to and how to secure the way; connections to equal targets are
/// interchangeable.
public struct ConnectTarget: Sendable, Hashable {
    /// A DNS name or an IP address (IPv6 with or without brackets).
    public let host: String
    /// The port.
    public let port: UInt16
    /// How to make it secure; nil for a plain connection.
    public let tls: TLSPolicy?

    /// A target.
    public init(host: String, port: UInt16, tls: TLSPolicy?) {
        self.host = host
        self.port = port
        self.tls = tls
    }
}
