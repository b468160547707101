/// Evaluates trust with a closure.
public struct CustomTrustEvaluator: ServerTrustEvaluating {
    /// Whether requests to its hosts over plain http are refused.
    public let pinsServers: Bool
    private let body: @Sendable (ServerTrust, String) throws -> Void

    /// Creates an evaluator. The closure gets the trust and the host, and throws if the server is
    /// not to be trusted. It must not block.
    public init(
        pinsServers: Bool = false,
        _ body: @escaping @Sendable (ServerTrust, String) throws -> Void
    ) {
        self.pinsServers = pinsServers
        self.body = body
    }

    /// Calls the closure.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        try body(trust, host)
    }
}
