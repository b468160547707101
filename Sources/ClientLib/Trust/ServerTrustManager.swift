/// Which evaluator judges which host.
public final class ServerTrustManager: Sendable {
    /// Whether hosts without an evaluator are refused. Else they are judged as by a session
    /// without evaluators.
    public let allHostsMustBeEvaluated: Bool
    private let evaluators: HostTable<any ServerTrustEvaluating>
    private let chooser: Chooser?

    /// The evaluator for a host, as URLs have it, and port; nil where it needs none.
    public typealias Chooser =
        @Sendable (_ host: String, _ port: UInt16) -> (any ServerTrustEvaluating)?

    /// Evaluators by host: a name or address as URLs have it, `*.example.org` for every name below
    /// `example.org` (but not itself), `*` for all. The most specific one counts.
    public init(
        allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]
    ) {
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.evaluators = HostTable(evaluators)
        chooser = nil
    }

    /// Evaluators by host and port. Called on a thread that serves the network: it must not wait
    /// for anything.
    public init(choosing chooser: @escaping Chooser) {
        allHostsMustBeEvaluated = false
        evaluators = HostTable([:])
        self.chooser = chooser
    }

    /// The evaluator for a host at port 443; nil where it needs none.
    /// - Throws: `.noRequiredEvaluator` where there is none and must be one.
    public func serverTrustEvaluator(
        forHost host: String
    ) throws(ServerTrustError) -> (any ServerTrustEvaluating)? {
        try match(host, port: 443)?.value
    }

    /// The same with the entry of the table, or what stands for it.
    func match(
        _ host: String, port: UInt16
    ) throws(ServerTrustError) -> (entry: String, value: any ServerTrustEvaluating)? {
        if let chooser { return chooser(host, port).map { ("\(host):\(port)", $0) } }
        if let found = evaluators.match(host) { return found }
        guard !allHostsMustBeEvaluated else { throw .noRequiredEvaluator(host: host) }
        return nil
    }

    /// Refuses plain connections to hosts that are pinned.
    func checkPlain(_ host: String) throws(ServerTrustError) {
        if evaluators.match(host)?.value.pinsServers == true { throw .notSecure(host: host) }
    }
}
