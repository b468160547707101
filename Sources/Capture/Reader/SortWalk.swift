internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// A way through sorted rows: from some place on, in one direction.
struct SortWalk {
    let column: SortColumn
    /// The direction of values and numbers on this way.
    let isDescending: Bool
    /// Behind which place; nil from the beginning.
    var start: SortKey?

    /// The condition for rows behind the start, on an expression and a number.
    func condition(_ value: String, _ id: String) -> (sql: String, arguments: [SQLValue]) {
        guard let start, let bound = start.value else { return ("\(value) IS NOT NULL", []) }
        return (
            "(\(value), \(id)) \(isDescending ? "<" : ">") (?, ?)",
            [bound.sqlValue, .integer(start.id.rawValue)]
        )
    }

    /// The condition for blocks of the index file that may hold rows behind the start.
    func blockCondition(_ value: String) -> (sql: String, arguments: [SQLValue]) {
        guard let start, let bound = start.value else { return ("1", []) }
        return (
            "(\(value), block) \(isDescending ? "<=" : ">=") (?, ?)",
            [bound.sqlValue, .integer(IndexBlock.block(of: start.id.rawValue))]
        )
    }

    /// The condition for rows in front of a place; none where there is no place.
    func bound(
        by end: SortKey?, _ value: String, _ id: String
    ) -> (sql: String, arguments: [SQLValue]) {
        guard let end, let bound = end.value else { return ("1", []) }
        return (
            "(\(value), \(id)) \(isDescending ? ">" : "<") (?, ?)",
            [bound.sqlValue, .integer(end.id.rawValue)]
        )
    }

    /// `ORDER BY` for a value and a number.
    func order(_ value: String, _ id: String) -> String {
        let direction = isDescending ? "DESC" : "ASC"
        return "ORDER BY \(value) \(direction), \(id) \(direction)"
    }

    /// The first `count` of two sorted lists.
    func merged(_ left: [SortKey], _ right: [SortKey], count: Int) -> [SortKey] {
        guard !left.isEmpty, !right.isEmpty else {
            return Array((left.isEmpty ? right : left).prefix(count))
        }
        var merged: [SortKey] = []
        merged.reserveCapacity(min(count, left.count + right.count))
        var (first, second) = (left[...], right[...])
        while merged.count < count {
            guard let one = first.first else { return merged + second.prefix(count - merged.count) }
            guard let two = second.first else { return merged + first.prefix(count - merged.count) }
            if two.isBefore(one, isDescending: isDescending) {
                merged.append(two)
                second.removeFirst()
            } else {
                merged.append(one)
                first.removeFirst()
            }
        }
        return merged
    }

    /// The places that a query of value and number gives.
    static func keys(
        _ database: SQLiteConnection, _ sql: String, _ arguments: [SQLValue]
    ) throws(StoreError) -> [SortKey] {
        try database.rows(sql, arguments) { row in
            SortKey(value: row.sortValue(0), id: ExchangeID(rawValue: row.integer(1) ?? 0))
        }
    }
}

extension SQLiteRow {
    /// A value that rows are sorted by; nil for what is neither number nor text.
    func sortValue(_ index: Int) -> SortKey.Value? {
        integer(index).map(SortKey.Value.integer) ?? text(index).map(SortKey.Value.text)
    }
}

extension SortKey.Value {
    var sqlValue: SQLValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        }
    }
}
