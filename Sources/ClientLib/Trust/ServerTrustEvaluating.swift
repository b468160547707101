/// Decides whether a server is trusted.
public protocol ServerTrustEvaluating: Sendable {
    /// Returns if the server is trusted and throws if not. Called on a network thread during the
    /// TLS handshake, before any byte of a request is sent: it must not block.
    func evaluate(_ trust: ServerTrust, forHost host: String) throws
    /// Whether the evaluator pins certificates or keys. If so, requests over plain http to its
    /// hosts are refused.
    var pinsServers: Bool { get }
}

extension ServerTrustEvaluating {
    /// False unless an evaluator says otherwise.
    public var pinsServers: Bool { false }
}
