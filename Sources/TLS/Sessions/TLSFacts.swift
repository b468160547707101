/// The properties of a session after its handshake.
public struct TLSFacts: Sendable, Hashable {
    /// The version as OpenSSL names it: `TLSv1.3`.
    public let version: String
    /// The cipher suite as OpenSSL names it: `TLS_AES_256_GCM_SHA384`.
    public let cipher: String
    /// The protocol negotiated by ALPN (RFC 7301), or nil if none.
    public let alpn: String?
    /// The server name that the client sent (RFC 6066 §3), or nil if none.
    public let serverName: String?
    /// The certificates the peer sent, leaf first, DER.
    public let peerCertificates: [[UInt8]]
    /// Whether an earlier session was resumed.
    public let isResumed: Bool
    /// The server's request for a client certificate; nil if it made none (client role only).
    public let certificateRequest: CertificateRequest?
    /// What verification had against the server although the session goes on, because its policy
    /// has verification disabled; nil where the certificate is good.
    public let toleratedProblem: CertificateProblem?
}
