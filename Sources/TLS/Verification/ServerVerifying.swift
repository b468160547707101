/// Verifies servers in place of a context's trust store.
public protocol ServerVerifying: Sendable {
    /// The problem with a server, or nil to continue. Called on the session's thread during the
    /// handshake, before any application data is sent. Must not block.
    func problem(with chain: PresentedChain) -> CertificateProblem?
}

/// The certificate chain that a server presented.
public struct PresentedChain: Sendable, Hashable {
    /// The DNS name or address to verify, according to the policy.
    public let name: String
    /// The certificates as sent, the server's own first, DER.
    public let certificates: [[UInt8]]

    /// Creates a chain for the name to verify.
    public init(name: String, certificates: [[UInt8]]) {
        self.name = name
        self.certificates = certificates
    }
}
