/// How a client session is created and which servers it accepts.
public struct TLSPolicy: Sendable, Hashable {
    /// Whether a bad certificate ends the handshake.
    public enum Verification: Sendable, Hashable {
        /// A certificate that fails verification ends the handshake.
        case required
        /// The certificate is verified and a problem reported, but the session continues.
        case disabled
    }

    /// The name to send as SNI, or nil for none. An address is never sent (RFC 6066 §3).
    public var serverName: String?
    /// The DNS name or address the certificate must be for.
    public var verifyName: String
    /// Whether a bad certificate ends the handshake.
    public var verification: Verification
    /// The ALPN protocols to offer, in order of preference; empty for no ALPN.
    public var alpn: [String]

    /// The certificate to show if the server asks for one; nil for none.
    public var identity: ClientIdentity?

    /// Creates a policy for the server `name` (a DNS name or an address, brackets allowed).
    public init(
        name: String, verification: Verification = .required, alpn: [String] = ["http/1.1"]
    ) {
        self.init(serverName: name, verifyName: name, verification: verification, alpn: alpn)
    }

    /// Creates a policy with an SNI name that may differ from the name to verify.
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
