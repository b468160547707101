internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Finds what became new in a store since it was last asked: exchanges that began, and exchanges
/// that ended.
struct ExchangeFollower {
    private let reader: any ExchangeReading
    private let filter: Filter
    /// The highest number seen.
    private var last: Int64
    /// The states last seen of exchanges that may still change, and of the newest ones.
    private var seen: [Int64: ExchangeState] = [:]

    /// Numbers below the highest that are looked at again: they are given out when exchanges
    /// begin, and may reach the store in another order.
    private static let windowCount: Int64 = 256
    /// The newest rows looked through for exchanges that are under way at the start.
    private static let initialCount = 2_000

    /// Follows from now on; what is in the store already counts as seen.
    init(_ reader: any ExchangeReading, _ filter: Filter) throws(StoreError) {
        self.reader = reader
        self.filter = filter
        // Numbers begin at 1; those below are damage.
        last = max(0, try reader.lastExchangeID()?.rawValue ?? 0)
        for row in try reader.rows(.newest, limit: ExchangeFollower.initialCount) {
            seen[row.id.rawValue] = row.state
        }
        forgetOld()
    }

    /// Rows that match and are new, or have ended, since the last call; in the order of their
    /// numbers. An exchange that was active comes twice: when it is first seen and when it ends.
    mutating func news() throws(StoreError) -> [ExchangeRow] {
        let lowest = last - ExchangeFollower.windowCount
        var rows = try changedRows(below: lowest)
        let start = PageDirection.after(ExchangeID(rawValue: max(0, lowest)))
        try reader.forEachRow(matching: .everything, start) { row in
            if seen[row.id.rawValue] != row.state { rows.append(row) }
            return true
        }
        for row in rows {
            seen[row.id.rawValue] = row.state
            last = max(last, row.id.rawValue)
        }
        forgetOld()
        return try matching(rows, lowest: lowest)
    }

    /// Older exchanges that were active and are not any more.
    private mutating func changedRows(below id: Int64) throws(StoreError) -> [ExchangeRow] {
        let old = seen.filter { $0.key <= id && $0.value == .active }.keys.sorted()
        guard !old.isEmpty else { return [] }
        let rows = try reader.rows(old.map(ExchangeID.init(rawValue:)))
        let present = Set(rows.map(\.id.rawValue))
        for id in old where !present.contains(id) { seen[id] = nil }
        return rows.filter { $0.state != .active }
    }

    /// Forgets what can be told by its number alone.
    private mutating func forgetOld() {
        let lowest = last - ExchangeFollower.windowCount
        seen = seen.filter { $0.key > lowest || $0.value == .active }
    }

    private func matching(
        _ rows: [ExchangeRow], lowest: Int64
    ) throws(StoreError) -> [ExchangeRow] {
        guard !filter.text.isEmpty, let newest = rows.map(\.id).max() else { return rows }
        var ids = Set<ExchangeID>()
        for row in rows where row.id.rawValue <= lowest {
            if try doesMatch(row.id) { ids.insert(row.id) }
        }
        try reader.forEachRow(matching: filter, .after(ExchangeID(rawValue: max(0, lowest)))) {
            ids.insert($0.id)
            return $0.id < newest
        }
        return rows.filter { ids.contains($0.id) }
    }

    /// Whether one exchange, maybe far back, matches.
    private func doesMatch(_ id: ExchangeID) throws(StoreError) -> Bool {
        guard let single = try? Filter.parse("(\(filter.text)) and id=\(id)") else { return false }
        let before = ExchangeID(rawValue: id.rawValue &- 1)
        return try !reader.rows(matching: single, .after(before), limit: 1).isEmpty
    }
}
