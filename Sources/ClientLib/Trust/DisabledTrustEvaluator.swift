/// Trusts every server without any check. Only for tests against your own servers, never for
/// production.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
    /// Creates an evaluator that trusts every server.
    public init() {}

    /// Does nothing.
    public func evaluate(_ trust: ServerTrust, forHost host: String) {}
}
