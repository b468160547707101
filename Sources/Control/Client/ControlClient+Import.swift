public import ProxydHTTPModel

extension ControlClient {
    /// Reserves the next numbers, ascending; at most `ControlLimits.identifierCountMax` of each
    /// kind.
    public func takeIdentifiers(
        exchangeCount: Int, connectionCount: Int
    ) throws(ControlError) -> (exchanges: [ExchangeID], connections: [ConnectionID]) {
        let command = ControlCommand.takeIdentifiers(
            exchangeCount: exchangeCount, connectionCount: connectionCount)
        guard case .identifiers(let exchanges, let connections) = try perform(command) else {
            throw Self.unexpected
        }
        return (
            exchanges.map(ExchangeID.init(rawValue:)),
            connections.map(ConnectionID.init(rawValue:))
        )
    }

    /// Stores connections and updates of exchanges; returns when they are committed.
    public func importExchanges(
        connections: [ConnectionRecord] = [], updates: [ExchangeUpdate]
    ) throws(ControlError) {
        for group in try ControlClient.groups(of: connections) {
            _ = try perform(.importExchanges(connections: group, updates: []))
        }
        for update in updates {
            for piece in update.pieces(bodyByteCountMax: ControlLimits.bodyPieceByteCountMax) {
                let message = UpdateMessage(piece)
                _ = try perform(.importExchanges(connections: [], updates: [message]))
            }
        }
    }

    /// Connections in groups that each fit one line: their certificates may be long.
    private static func groups(
        of connections: [ConnectionRecord]
    ) throws(ControlError) -> [[ConnectionMessage]] {
        var groups: [[ConnectionMessage]] = []
        var sum = 0
        for connection in connections {
            let message = ConnectionMessage(connection)
            let byteCount = try ControlCoding.line(message).count
            sum += byteCount
            if groups.isEmpty || sum > ControlLimits.lineByteCountMax / 2 {
                groups.append([])
                sum = byteCount
            }
            groups[groups.count - 1].append(message)
        }
        return groups
    }
}
