/// Selects the evaluator for each host.
public final class ServerTrustManager: Sendable {
    /// Whether hosts without an evaluator are refused. If not, they are evaluated as in a session
    /// without evaluators.
    public let allHostsMustBeEvaluated: Bool
    private let evaluators: HostTable<any ServerTrustEvaluating>
    private let chooser: Chooser?

    /// Returns the evaluator for a host, as in URLs, and a port, or nil if it needs none.
    public typealias Chooser =
        @Sendable (_ host: String, _ port: UInt16) -> (any ServerTrustEvaluating)?

    /// Evaluators by host: a name or address as in URLs, `*.example.org` for every name below
    /// `example.org` (but not itself), or `*` for all. The most specific entry applies.
    public init(
        allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]
    ) {
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.evaluators = HostTable(evaluators)
        chooser = nil
    }

    /// Evaluators by host and port. The closure is called on a network thread and must not block.
    public init(choosing chooser: @escaping Chooser) {
        allHostsMustBeEvaluated = false
        evaluators = HostTable([:])
        self.chooser = chooser
    }

    /// The evaluator for a host at port 443, or nil if it needs none.
    /// - Throws: `.noRequiredEvaluator` if there is none and all hosts must be evaluated.
    public func serverTrustEvaluator(
        forHost host: String
    ) throws(ServerTrustError) -> (any ServerTrustEvaluating)? {
        try match(host, port: 443)?.value
    }

    /// The evaluator and its entry in the table; with a chooser, the entry is `host:port`.
    func match(
        _ host: String, port: UInt16
    ) throws(ServerTrustError) -> (entry: String, value: any ServerTrustEvaluating)? {
        if let chooser { return chooser(host, port).map { ("\(host):\(port)", $0) } }
        if let found = evaluators.match(host) { return found }
        guard !allHostsMustBeEvaluated else { throw .noRequiredEvaluator(host: host) }
        return nil
    }

    /// Refuses plain connections to pinned hosts.
    func checkPlain(_ host: String) throws(ServerTrustError) {
        if evaluators.match(host)?.value.pinsServers == true { throw .notSecure(host: host) }
    }
}
