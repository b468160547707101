/// Judges servers.
public protocol ServerTrustEvaluating: Sendable {
    /// Returns where the server is to be trusted, throws where not. Called in the middle of the TLS
    /// handshake, before any byte of a request is sent, on a thread that serves the network: it
    /// must not wait for anything.
    func evaluate(_ trust: ServerTrust, forHost host: String) throws
    /// Whether it recognises servers by what only they have. Requests by plain http to their hosts
    /// are refused.
    var pinsServers: Bool { get }
}

extension ServerTrustEvaluating {
    /// No.
    public var pinsServers: Bool { false }
}
