internal import ProxydHTTPModel
internal import ProxydRules

/// What filters may ask about the latest clients: address and program.
struct RecordedClients {
    private static let countMax = 20_000

    private var known: [ConnectionID: (address: String, process: String?)] = [:]
    /// Oldest first.
    private var order: [ConnectionID] = []

    /// Remembers a client's connection; of more than are kept the older half is forgotten.
    mutating func add(_ connection: ConnectionRecord) {
        let facts = (connection.peerAddress, connection.process?.name)
        guard known.updateValue(facts, forKey: connection.id) == nil else { return }
        order.append(connection.id)
        guard order.count > RecordedClients.countMax else { return }
        let half = order.count / 2
        for id in order.prefix(half) { known[id] = nil }
        order.removeFirst(half)
    }

    /// What a request came over.
    func connection(
        _ id: ConnectionID?, _ url: RawURL, startedAtNs: Int64
    ) -> RuledConnection {
        let client = id.flatMap { known[$0] }
        return RuledConnection(
            client: client?.address ?? "", process: client?.process, host: url.host,
            port: url.port, scheme: url.scheme, startedAtNs: startedAtNs)
    }
}
