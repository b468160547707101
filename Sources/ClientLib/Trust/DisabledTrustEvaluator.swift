/// Trusts every server, whoever it is. For tests against servers of one's own, never for products.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
    /// An evaluator.
    public init() {}

    /// Does nothing.
    public func evaluate(_ trust: ServerTrust, forHost host: String) {}
}
