internal import ProxydHTTPModel
internal import ProxydRules

/// The client facts that filters can use, for the latest connections: address and program.
struct RecordedClients {
    private static let countMax = 20_000

    private var known: [ConnectionID: (address: String, process: String?)] = [:]
    /// Connections, oldest first.
    private var order: [ConnectionID] = []

    /// Adds a client's connection; when the limit is exceeded, the older half is removed.
    mutating func add(_ connection: ConnectionRecord) {
        let facts = (connection.peerAddress, connection.process?.name)
        guard known.updateValue(facts, forKey: connection.id) == nil else { return }
        order.append(connection.id)
        guard order.count > RecordedClients.countMax else { return }
        let half = order.count / 2
        for id in order.prefix(half) { known[id] = nil }
        order.removeFirst(half)
    }

    /// The connection that carried a request.
    func connection(
        _ id: ConnectionID?, _ url: RawURL, startedAtNs: Int64
    ) -> RuledConnection {
        let client = id.flatMap { known[$0] }
        return RuledConnection(
            client: client?.address ?? "", process: client?.process, host: url.host,
            port: url.port, scheme: url.scheme, startedAtNs: startedAtNs)
    }
}
