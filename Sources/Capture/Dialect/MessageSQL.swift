internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydCaptureModel

/// Tests of messages as SQL on the table `message`.
enum MessageSQL {
    /// A condition for exchanges that have messages of a kind. Their contents are left to the
    /// predicate, because SQLite texts end at a NUL, and messages of event streams and gRPC calls
    /// are stored as part of a body.
    static func exist(_ messages: FilterMessages) -> SQLFragment {
        var condition = ofExchange
        if let kinds = messages.kinds {
            let list = kinds.map { "\($0.rawValue)" }.joined(separator: ", ")
            condition += " AND kind IN (\(list))"
        }
        if let direction = messages.direction {
            condition += " AND direction = \(direction.rawValue)"
        }
        return .wrap("EXISTS (SELECT 1 FROM message WHERE ", condition, ")", []).asPrefilter
    }

    /// A condition on the close code of a WebSocket, the first two bytes of its close frame: 1005
    /// if the frame has no code, 1006 if there is no close frame.
    static func closeCode(_ range: FilterNumberRange) -> SQLFragment {
        let lower = max(range.lower, 0)
        let upper = min(range.upper, 0xFFFF)
        guard lower <= upper else { return .none }
        var parts = [coded(lower, upper)]
        if range.contains(1_005) {
            let isBare = "kind = \(closeKind) AND ifnull(length(octets), 0) < 2"
            parts.append(
                .wrap(
                    "EXISTS (SELECT 1 FROM message WHERE ", "\(ofExchange) AND \(isBare)", ")", []))
        }
        if range.contains(1_006) {
            let isOver = "exchange.state <> 0 AND \(ExchangeProtocol.sql("exchange")) = 'ws'"
            parts.append(
                .wrap(
                    "(NOT EXISTS (SELECT 1 FROM message WHERE ",
                    "\(ofExchange) AND kind = \(closeKind)) AND \(isOver)", ")", []))
        }
        return .disjunction(parts)
    }

    private static func coded(_ lower: Int64, _ upper: Int64) -> SQLFragment {
        let hasCode = "kind = \(closeKind) AND length(octets) >= 2"
        return .wrap(
            "EXISTS (SELECT 1 FROM message WHERE ",
            "\(ofExchange) AND \(hasCode) AND substr(octets, 1, 2) BETWEEN ? AND ?", ")",
            [.blob(bytes(lower)), .blob(bytes(upper))])
    }

    private static func bytes(_ code: Int64) -> [UInt8] {
        [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
    }

    private static let closeKind = MessageRecord.Kind.close.rawValue

    /// Selects the messages of the row of `exchange`, except those whose keys would belong to
    /// another exchange.
    static let ofExchange = """
        exchange.id >= \(Schema.ChunkKey.exchangeIDs.lowerBound) \
        AND exchange.id < \(Schema.ChunkKey.exchangeIDs.upperBound) \
        AND key BETWEEN exchange.id << \(Schema.ChunkKey.exchangeShift) \
        AND (exchange.id << \(Schema.ChunkKey.exchangeShift)) + \(Schema.MessageKey.positionMax)
        """
}
