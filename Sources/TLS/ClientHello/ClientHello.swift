/// The ClientHello of a TLS client, reduced to what matters before a certificate is chosen.
public struct ClientHello: Sendable, Hashable {
    /// The result of inspecting a connection's first bytes.
    public enum Peek: Sendable, Hashable {
        /// The start of a ClientHello: more bytes are needed.
        case needMore
        /// The bytes are not a TLS ClientHello.
        case notTLS
        /// A ClientHello that violates TLS or exceeds OpenSSL's limits: a session that receives
        /// these bytes reports the error.
        case unacceptable
        /// A complete ClientHello.
        case hello(ClientHello)
    }

    /// The requested name (RFC 6066 §3), as sent; nil if absent or not printable ASCII.
    public let serverName: String?
    /// The offered ALPN protocols (RFC 7301), in order.
    public let alpn: [String]
    /// The offered versions, such as 0x0304 for TLS 1.3, in order, including reserved values (RFC
    /// 8701).
    public let versions: [UInt16]

    /// Inspects the first bytes of a connection without consuming them.
    ///
    /// A ClientHello may be split over several records, with empty ones in between. The bytes are
    /// untrusted.
    public static func peek(_ bytes: Span<UInt8>) -> Peek {
        var reader = ClientHelloReader()
        return reader.read(bytes)
    }
}
