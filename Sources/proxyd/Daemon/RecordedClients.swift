internal import ProxydHTTPModel
internal import ProxydRules

/// The client facts that filters can use, for the latest connections: address, program, listener.
struct RecordedClients {
    private static let countMax = 20_000

    private struct Client {
        let address: String
        let process: String?
        let arrival: ConnectionRecord.Arrival?
    }

    private var known: [ConnectionID: Client] = [:]
    /// Connections, oldest first.
    private var order: [ConnectionID] = []

    /// Adds a client's connection; when the limit is exceeded, the older half is removed.
    mutating func add(_ connection: ConnectionRecord) {
        let facts = Client(
            address: connection.peerAddress, process: connection.process?.name,
            arrival: connection.arrival)
        guard known.updateValue(facts, forKey: connection.id) == nil else { return }
        order.append(connection.id)
        guard order.count > RecordedClients.countMax else { return }
        let half = order.count / 2
        for id in order.prefix(half) { known[id] = nil }
        order.removeFirst(half)
    }

    /// The connection that carried a request.
    func connection(
        _ id: ConnectionID?, _ url: RawURL, user: String?, startedAtNs: Int64
    ) -> RuledConnection {
        let client = id.flatMap { known[$0] }
        var connection = RuledConnection(
            client: client?.address ?? "", process: client?.process, host: url.host,
            port: url.port, scheme: url.scheme, startedAtNs: startedAtNs)
        connection.namedClient = client?.arrival?.proxyProtocolPeer
        connection.listener = client?.arrival?.listener
        connection.user = user
        return connection
    }
}
