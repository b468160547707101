/// Trusts servers whose chain leads to the session's authorities, as sessions without evaluators
/// do.
public struct DefaultTrustEvaluator: ServerTrustEvaluating {
    private let validateHost: Bool

    /// Creates an evaluator. Without `validateHost`, anyone with a valid certificate for any host
    /// can impersonate the server.
    public init(validateHost: Bool = true) { self.validateHost = validateHost }

    /// Verifies the chain and the host.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        try trust.performDefaultValidation()
        if validateHost { try trust.performValidation(forHost: host) }
    }
}
