internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// A walk through sorted rows, from a position in one direction.
struct SortWalk {
    let column: SortColumn
    /// The direction in which both values and numbers are walked.
    let isDescending: Bool
    /// The walk starts after this position, or at the first row if nil.
    var start: SortKey?

    /// The condition for rows after the start, for a value expression and a number expression.
    func condition(_ value: String, _ id: String) -> (sql: String, arguments: [SQLValue]) {
        guard let start, let bound = start.value else { return ("\(value) IS NOT NULL", []) }
        return (
            "(\(value), \(id)) \(isDescending ? "<" : ">") (?, ?)",
            [bound.sqlValue, .integer(start.id.rawValue)]
        )
    }

    /// The condition for blocks of the index file that may contain rows after the start.
    func blockCondition(_ value: String) -> (sql: String, arguments: [SQLValue]) {
        guard let start, let bound = start.value else { return ("1", []) }
        return (
            "(\(value), block) \(isDescending ? "<=" : ">=") (?, ?)",
            [bound.sqlValue, .integer(IndexBlock.block(of: start.id.rawValue))]
        )
    }

    /// The condition for rows before a position; always true if there is no position.
    func bound(
        by end: SortKey?, _ value: String, _ id: String
    ) -> (sql: String, arguments: [SQLValue]) {
        guard let end, let bound = end.value else { return ("1", []) }
        return (
            "(\(value), \(id)) \(isDescending ? ">" : "<") (?, ?)",
            [bound.sqlValue, .integer(end.id.rawValue)]
        )
    }

    /// The `ORDER BY` terms for a value and a number.
    func order(_ value: String, _ id: String) -> String {
        let direction = isDescending ? "DESC" : "ASC"
        return "ORDER BY \(value) \(direction), \(id) \(direction)"
    }

    /// The first `count` keys of two sorted lists.
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

    /// The keys returned by a query of value and number.
    static func keys(
        _ database: SQLiteConnection, _ sql: String, _ arguments: [SQLValue]
    ) throws(StoreError) -> [SortKey] {
        try database.rows(sql, arguments) { row in
            SortKey(value: row.sortValue(0), id: ExchangeID(rawValue: row.integer(1) ?? 0))
        }
    }
}

extension SQLiteRow {
    /// The value rows are sorted by, or nil if it is neither a number nor a text.
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
