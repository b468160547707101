/// The first message of a TLS client, as far as it matters before a certificate is chosen.
public struct ClientHello: Sendable, Hashable {
    /// What a connection's first bytes are.
    public enum Peek: Sendable, Hashable {
        /// The beginning of a hello: more is needed.
        case needMore
        /// No TLS hello.
        case notTLS
        /// A hello that breaks TLS, or one beyond OpenSSL's bounds: a session that is given these
        /// bytes says what is wrong with them.
        case unacceptable
        /// A whole hello.
        case hello(ClientHello)
    }

    /// The name asked for (RFC 6066 §3), as sent; nil where absent or not printable ASCII.
    public let serverName: String?
    /// The protocols offered (RFC 7301), in order.
    public let alpn: [String]
    /// The versions offered, such as 0x0304 for TLS 1.3, in order; reserved values included
    /// (RFC 8701).
    public let versions: [UInt16]

    /// Looks at the first bytes of a connection without consuming them.
    ///
    /// A hello may be split over records, with empty ones among them. Nothing in the bytes is
    /// trusted.
    public static func peek(_ bytes: Span<UInt8>) -> Peek {
        var reader = ClientHelloReader()
        return reader.read(bytes)
    }
}
