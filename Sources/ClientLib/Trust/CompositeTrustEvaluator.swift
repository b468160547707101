/// Trusts servers that all of several evaluators trust.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
    private let evaluators: [any ServerTrustEvaluating]

    /// Creates an evaluator. Without any evaluators, it trusts every server.
    public init(evaluators: [any ServerTrustEvaluating]) { self.evaluators = evaluators }

    /// Whether any of the evaluators pins servers.
    public var pinsServers: Bool { evaluators.contains(where: \.pinsServers) }

    /// Calls the evaluators in order; the first error refuses the server.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
    }
}
