/// How a client session is to be made and whom it accepts.
public struct TLSPolicy: Sendable, Hashable {
    /// Whether a bad certificate ends the handshake.
    public enum Verification: Sendable, Hashable {
        /// A certificate that does not stand verification ends the handshake.
        case required
        /// The certificate is checked and a problem reported, but the session goes on.
        case disabled
    }

    /// The name to send as SNI; nil for none. An address is never sent (RFC 6066 §3).
    public var serverName: String?
    /// The DNS name or address the certificate must be for.
    public var verifyName: String
    /// Whether a bad certificate ends the handshake.
    public var verification: Verification
    /// Protocols to offer, most wanted first; none for no ALPN.
    public var alpn: [String]

    /// A policy for the server `name` (a DNS name or an address, brackets allowed).
    public init(
        name: String, verification: Verification = .required, alpn: [String] = ["http/1.1"]
    ) {
        self.init(serverName: name, verifyName: name, verification: verification, alpn: alpn)
    }

    /// A policy with a name to send that may differ from the name to verify.
    public init(
        serverName: String?, verifyName: String, verification: Verification = .required,
        alpn: [String] = ["http/1.1"]
    ) {
        self.serverName = serverName
        self.verifyName = verifyName
        self.verification = verification
        self.alpn = alpn
    }
}
