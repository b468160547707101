/// Trusts servers that the authorities of the session vouch for, as sessions without evaluators do.
public struct DefaultTrustEvaluator: ServerTrustEvaluating {
    private let validateHost: Bool

    /// An evaluator. Without `validateHost`, whoever has a good certificate for any host at all
    /// can take the server's place.
    public init(validateHost: Bool = true) { self.validateHost = validateHost }

    /// Verifies the chain and the host.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        try trust.performDefaultValidation()
        if validateHost { try trust.performValidation(forHost: host) }
    }
}
