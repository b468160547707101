/// What judges servers in place of a context's trust store.
public protocol ServerVerifying: Sendable {
    /// What is wrong with a server; nil to go on. Called on the session's thread, in the middle of
    /// the handshake: before anything of the application was sent. Must not block.
    func problem(with chain: PresentedChain) -> CertificateProblem?
}

/// What a server showed.
public struct PresentedChain: Sendable, Hashable {
    /// The DNS name or address that the policy wants verified.
    public let name: String
    /// The certificates as sent, the server's own first, DER.
    public let certificates: [[UInt8]]

    /// A chain.
    public init(name: String, certificates: [[UInt8]]) {
        self.name = name
        self.certificates = certificates
    }
}
