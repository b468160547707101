/// Trusts servers that all of several evaluators trust.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
    private let evaluators: [any ServerTrustEvaluating]

    /// An evaluator. One of none trusts every server.
    public init(evaluators: [any ServerTrustEvaluating]) { self.evaluators = evaluators }

    /// Whether one of them does.
    public var pinsServers: Bool { evaluators.contains(where: \.pinsServers) }

    /// Asks them in order; the first that throws decides.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
    }
}
