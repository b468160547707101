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
        if !connections.isEmpty {
            let messages = connections.map(ConnectionMessage.init)
            _ = try perform(.importExchanges(connections: messages, updates: []))
        }
        for update in updates {
            for piece in update.pieces(bodyByteCountMax: ControlLimits.bodyPieceByteCountMax) {
                let message = UpdateMessage(piece)
                _ = try perform(.importExchanges(connections: [], updates: [message]))
            }
        }
    }
}
