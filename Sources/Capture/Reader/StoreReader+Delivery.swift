public import ProxydCaptureModel

/// What a program needs that delivers the store to a central store.
extension StoreReader {
    /// How many exchanges are counted in one read.
    private static let countedMax: Int64 = 65_536

    /// Returns what the store knows of its delivery.
    public func deliveryState() throws(StoreError) -> DeliveryState {
        let state = try read {
            try $0.first(
                """
                SELECT store_id, delivered_through, delivery_mark, undelivered_lost,
                  last_change_sequence, last_exchange_id
                FROM store_state
                """, [],
                { row in
                    DeliveryState(
                        storeID: row.bytes(0), deliveredThrough: row.integer(1),
                        mark: row.integer(2), undeliveredLost: row.integer(3) ?? 0,
                        lastExchangeID: row.integer(5) ?? 0,
                        lastChangeSequence: row.integer(4) ?? 0)
                })
        }
        return state ?? DeliveryState()
    }

    /// Returns the changes after a sequence number that were not delivered yet, at most `limit`,
    /// in their order.
    public func changes(
        after sequence: Int64, limit: Int
    ) throws(StoreError) -> [ExchangeChange] {
        let changes = try read {
            try $0.rows(
                """
                SELECT sequence, first_id, last_id, kind FROM change
                WHERE sequence > ?1 AND first_id <= last_id
                  AND kind IN (\(StoreReader.changeKinds))
                ORDER BY sequence LIMIT ?2
                """, [.integer(sequence), .integer(Int64(limit))], StoreReader.change)
        }
        return changes.compactMap { $0 }
    }

    private static let changeKinds = ExchangeChange.Kind.allCases.map { "\($0.rawValue)" }
        .joined(separator: ", ")

    /// Decodes a row, or returns nil if it is damaged.
    private static func change(_ row: SQLiteRow) -> ExchangeChange? {
        guard let sequence = row.integer(0), let first = row.integer(1), let last = row.integer(2),
            first <= last, let kind = row.integer(3).flatMap(ExchangeChange.Kind.init(rawValue:))
        else { return nil }
        return ExchangeChange(sequence: sequence, ids: first...last, kind: kind)
    }

    /// Returns the number of exchanges with higher numbers than the given one.
    public func exchangeCount(after id: Int64) throws(StoreError) -> Int64 {
        var (total, last) = (Int64(0), id)
        while true {
            let found = try read {
                try $0.first(
                    """
                    SELECT count(*), max(id)
                    FROM (SELECT id FROM exchange WHERE id > ?1 ORDER BY id LIMIT ?2)
                    """, [.integer(last), .integer(StoreReader.countedMax)],
                    { ($0.integer(0) ?? 0, $0.integer(1) ?? .max) })
            }
            let (count, end) = found ?? (0, .max)
            total += count
            guard count == StoreReader.countedMax else { return total }
            last = end
        }
    }
}
