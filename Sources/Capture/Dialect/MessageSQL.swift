internal import ProxydFilter
internal import ProxydHTTPModel

/// Tests of messages as SQL over the table `message`.
enum MessageSQL {
    /// Whether an exchange has messages of a kind: what they say is for the predicate, because
    /// texts of SQLite end at a NUL, and those of event streams and calls are a part of a body.
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

    /// Whether a WebSocket was closed with a code, the first two bytes of a closing frame: 1005
    /// where it has none, 1006 where there is no such frame.
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
            [.blob(octets(lower)), .blob(octets(upper))])
    }

    private static func octets(_ code: Int64) -> [UInt8] {
        [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
    }

    private static let closeKind = MessageRecord.Kind.close.rawValue

    /// The messages of the row of `exchange`; none of those whose keys would be somebody else's.
    static let ofExchange = """
        exchange.id >= \(Schema.ChunkKey.exchangeIDs.lowerBound) \
        AND exchange.id < \(Schema.ChunkKey.exchangeIDs.upperBound) \
        AND key BETWEEN exchange.id << \(Schema.ChunkKey.exchangeShift) \
        AND (exchange.id << \(Schema.ChunkKey.exchangeShift)) + \(Schema.MessageKey.positionMax)
        """
}
