internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Finds changes in a store since the last call: exchanges that started, and exchanges that ended.
struct ExchangeFollower: ExchangeFollowing {
    private let reader: any ExchangeReading
    private let filter: Filter
    /// The highest number seen.
    private var last: Int64
    /// The last known states of exchanges that may still change, and of the newest ones.
    private var seen: [Int64: ExchangeState] = [:]

    /// How many numbers below the highest are read again: numbers are taken when exchanges start,
    /// and exchanges may reach the store in another order.
    private static let windowCount: Int64 = 256
    /// The number of newest rows searched for active exchanges at the start.
    private static let initialCount = 2_000

    /// Follows from now on; everything in the store already counts as seen.
    init(_ reader: any ExchangeReading, _ filter: Filter) throws(StoreError) {
        self.reader = reader
        self.filter = filter
        // Numbers start at 1; lower ones are damage.
        last = max(0, try reader.lastExchangeID()?.rawValue ?? 0)
        for row in try reader.rows(.newest, limit: ExchangeFollower.initialCount) {
            seen[row.id.rawValue] = row.state
        }
        forgetOld()
    }

    /// Returns matching rows that are new or have ended since the last call, ordered by number. An
    /// active exchange is returned twice: when it is first seen and when it ends.
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

    /// Older exchanges that were active and are not anymore.
    private mutating func changedRows(below id: Int64) throws(StoreError) -> [ExchangeRow] {
        let old = seen.filter { $0.key <= id && $0.value == .active }.keys.sorted()
        guard !old.isEmpty else { return [] }
        let rows = try reader.rows(old.map(ExchangeID.init(rawValue:)))
        let present = Set(rows.map(\.id.rawValue))
        for id in old where !present.contains(id) { seen[id] = nil }
        return rows.filter { $0.state != .active }
    }

    /// Forgets exchanges for which the number alone is enough.
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
            if try doesMatch(row) { ids.insert(row.id) }
        }
        try reader.forEachRow(matching: filter, .after(ExchangeID(rawValue: max(0, lowest)))) {
            ids.insert($0.id)
            return $0.id < newest
        }
        return rows.filter { ids.contains($0.id) }
    }

    /// Whether one exchange, possibly an old one, matches.
    private func doesMatch(_ row: ExchangeRow) throws(StoreError) -> Bool {
        let text = "(\(filter.text)) and id=\(row.idText)"
        guard let single = try? Filter.parse(text) else { return false }
        let before = ExchangeID(rawValue: row.id.rawValue &- 1)
        return try !reader.rows(matching: single, .after(before), limit: 1).isEmpty
    }
}
