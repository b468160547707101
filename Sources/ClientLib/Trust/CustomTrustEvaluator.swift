/// Trusts as a closure says.
public struct CustomTrustEvaluator: ServerTrustEvaluating {
    /// Whether requests by plain http to its hosts are refused.
    public let pinsServers: Bool
    private let body: @Sendable (ServerTrust, String) throws -> Void

    /// An evaluator whose closure gets the trust and the host, and throws where the server is not
    /// to be trusted. It must not wait for anything.
    public init(
        pinsServers: Bool = false,
        _ body: @escaping @Sendable (ServerTrust, String) throws -> Void
    ) {
        self.pinsServers = pinsServers
        self.body = body
    }

    /// Asks the closure.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        try body(trust, host)
    }
}
