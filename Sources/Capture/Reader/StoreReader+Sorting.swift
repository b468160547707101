internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Rows sorted by a column, page by page.
extension StoreReader {
    /// How many entries of the index file are tried for one page before all rows are scanned
    /// instead, which is faster if the filter matches few rows.
    private static let indexLookCountMax = 20_000

    /// See `ExchangeReading.positions`.
    func sortKeys(
        matching filter: Filter = .everything, by column: SortColumn, isDescending: Bool,
        from start: SortKey? = nil, isBackward: Bool = false, limit: Int,
        progress: (Double) -> Void = { _ in }
    ) throws(StoreError) -> [SortKey] {
        guard limit > 0 else { return [] }
        let compiled = filter.compile()
        try attachIndex()
        let walk = SortWalk(column: column, isDescending: isDescending != isBackward, start: start)
        // Rows without a value sort after the others; walking backward they come first.
        let isAmongNulls = start.map { $0.value == nil }
        var keys: [SortKey] = []
        if isBackward, isAmongNulls ?? true {
            keys = try keysWithoutValue(compiled, walk, limit: limit, progress)
        }
        if isBackward || isAmongNulls != true, keys.count < limit {
            var values = walk
            if start?.value == nil { values.start = nil }
            keys += try keysWithValue(compiled, values, limit: limit - keys.count, progress)
        }
        if !isBackward, keys.count < limit {
            var nulls = walk
            if start?.value != nil { nulls.start = nil }
            keys += try keysWithoutValue(compiled, nulls, limit: limit - keys.count, progress)
        }
        return keys
    }

    /// Rows that have a value, from the index file if it helps, otherwise from a scan of all rows.
    private func keysWithValue(
        _ compiled: CompiledFilter, _ walk: SortWalk, limit: Int, _ progress: (Double) -> Void
    ) throws(StoreError) -> [SortKey] {
        if walk.column.index != nil, let keys = try? indexedKeys(compiled, walk, limit: limit) {
            return keys
        }
        if ReadCancellation.isCurrentCancelled { throw .cancelled }
        return compiled.residual == nil && compiled.searches.isEmpty
            ? try scannedKeys(compiled, walk, limit: limit, progress)
            : try chosenKeys(compiled, walk, limit: limit, progress)
    }

    // MARK: With the index file

    /// The sorted keys of the index file and of rows not in it yet, or nil if it is of no help.
    private func indexedKeys(
        _ compiled: CompiledFilter, _ walk: SortWalk, limit: Int
    ) throws(StoreError) -> [SortKey]? {
        try read { database -> [SortKey]? in
            guard IndexPlan.isAttached(database),
                let through = try IndexPlan.indexedThrough(database)
            else { return nil }
            var found: [SortKey] = []
            var walk = walk
            let start = walk
            var count = max(limit, 64)
            var lookedAt = 0
            while found.count < limit {
                guard lookedAt < StoreReader.indexLookCountMax else { return nil }
                guard
                    let proposed = try StoreReader.proposedKeys(walk, limit: count, database)
                else { return nil }
                found += try StoreReader.passing(proposed, compiled, database)
                guard let last = proposed.last, proposed.count == count else { break }
                walk.start = last
                lookedAt += count
                count *= 2
            }
            let recent = try StoreReader.unindexedKeys(
                compiled, start, through, limit: limit, database)
            return start.merged(found, recent, count: limit)
        }
    }

    /// The next keys in the index file, whether or not their rows match; nil if it is damaged.
    private static func proposedKeys(
        _ walk: SortWalk, limit: Int, _ database: SQLiteConnection
    ) throws -> [SortKey]? {
        switch walk.column.index {
        case .blocks(let table, let column):
            try blockKeys(walk, table, column, limit: limit, database)
        case .eras(let table, let column):
            try database.integers("SELECT era FROM side.era").reduce(into: []) {
                let more = try eraKeys(walk, $1, table, column, limit: limit, database)
                $0 = walk.merged($0, more, count: limit)
            }
        case nil: []
        }
    }

    private static func eraKeys(
        _ walk: SortWalk, _ era: Int64, _ table: String, _ column: String, limit: Int,
        _ database: SQLiteConnection
    ) throws -> [SortKey] {
        let condition = walk.condition(column, "exchange_id")
        return try SortWalk.keys(
            database,
            """
            SELECT \(column), exchange_id FROM side.\(table) WHERE era = ? AND \(condition.sql)
            \(walk.order(column, "exchange_id")) LIMIT ?
            """,
            [.integer(era)] + condition.arguments + [.integer(Int64(limit))])
    }

    /// Blocks are expanded here and not in SQL, because the database would sort the contents of all
    /// blocks to find the first keys.
    private static func blockKeys(
        _ walk: SortWalk, _ table: String, _ column: String, limit: Int,
        _ database: SQLiteConnection
    ) throws -> [SortKey]? {
        let condition = walk.blockCondition(column)
        let statement = try SQLiteStatement(
            database,
            """
            SELECT \(column), block, places FROM side.\(table) WHERE \(condition.sql)
            \(walk.order(column, "block"))
            """)
        statement.bind(condition.arguments)
        var keys: [SortKey] = []
        var isDamaged = false
        try statement.takeRows(while: { row in
            guard let block = blockKeys(row, walk) else {
                isDamaged = true
                return false
            }
            keys += block
            return keys.count < limit
        })
        return isDamaged ? nil : Array(keys.prefix(limit))
    }

    /// The keys in one block after the start of a walk, or nil if the block is damaged.
    private static func blockKeys(_ row: SQLiteRow, _ walk: SortWalk) -> [SortKey]? {
        guard let value = row.sortValue(0), let block = row.integer(1),
            let ids = IndexBlock.ids(in: block, places: row.bytes(2) ?? [])
        else { return nil }
        let keys = (walk.isDescending ? ids.reversed() : ids).map {
            SortKey(value: value, id: ExchangeID(rawValue: $0))
        }
        return keys.filter { walk.start?.isBefore($0, isDescending: walk.isDescending) ?? true }
    }

    /// The keys whose rows exist and match the filter.
    private static func passing(
        _ keys: [SortKey], _ compiled: CompiledFilter, _ database: SQLiteConnection
    ) throws -> [SortKey] {
        let condition = condition(among: keys.lazy.map(\.id.rawValue), compiled)
        let passed: Set<ExchangeID>
        if compiled.residual == nil {
            passed = Set(
                try database.integers(
                    "SELECT id FROM exchange WHERE \(condition.sql)", condition.arguments
                ).map { ExchangeID(rawValue: $0) })
        } else {
            let rows = try rows(
                where: condition.sql, condition.arguments, isAscending: true, compiled.residual,
                keys.count, database)
            passed = Set(rows.map(\.id))
        }
        return keys.filter { passed.contains($0.id) }
    }

    /// The rows that are not in the index file: the newest ones and long-running ones.
    private static func unindexedKeys(
        _ compiled: CompiledFilter, _ walk: SortWalk, _ through: Int64, limit: Int,
        _ database: SQLiteConnection
    ) throws -> [SortKey] {
        let value = walk.column.expression
        let behind = walk.condition(value, "exchange.id")
        let keys = try SortWalk.keys(
            database,
            """
            SELECT \(value), exchange.id FROM exchange
            WHERE exchange.id IN (SELECT exchange_id FROM side.pending
                UNION ALL SELECT id FROM main.exchange WHERE id > ?)
              AND \(behind.sql) AND (\(compiled.sqlCondition))
            \(walk.order(value, "exchange.id")) LIMIT ?
            """,
            [.integer(through)] + behind.arguments + compiled.arguments
                + [.integer(compiled.residual == nil ? Int64(limit) : .max)])
        guard compiled.residual != nil else { return keys }
        return Array(try passing(keys, compiled, database).prefix(limit))
    }
}

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

/// The position of a row in rows sorted by a column: its value, then its exchange number.
typealias SortKey = ListPosition

extension ListPosition {
    init(_ row: ExchangeRow, _ column: SortColumn) { self.init(row, column, time: row.id.rawValue) }

    /// Whether this key sorts before another one; both must have a value.
    func isBefore(_ other: SortKey, isDescending: Bool) -> Bool {
        isDescending ? other.isLess(than: self) : isLess(than: other)
    }

    private func isLess(than other: SortKey) -> Bool {
        switch (value, other.value) {
        case (.integer(let left)?, .integer(let right)?): return (left, id) < (right, other.id)
        case (.text(let left)?, .text(let right)?):
            if left == right, left.utf8.elementsEqual(right.utf8) { return id < other.id }
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.integer?, .text?): return true
        case (.text?, .integer?): return false
        case (nil, _), (_, nil): return id < other.id
        }
    }
}

/// Where the database finds the values that rows are sorted by.
extension SortColumn {
    /// The value, as an expression on the table `exchange`.
    var expression: String {
        expression(
            time: "exchange.id",
            process: "(SELECT process FROM connection WHERE id = exchange.client_connection_id)")
    }

    /// The value and the tables to read it from when all rows are scanned: a connection is then
    /// looked up once per row, however often the value is used.
    var scan: (value: String, source: String) {
        guard self == .process else { return (expression, "exchange") }
        return (
            "sorted.process",
            "exchange LEFT JOIN connection sorted ON sorted.id = exchange.client_connection_id"
        )
    }

    enum Index {
        /// A table of blocks of exchange numbers, and the column.
        case blocks(table: String, column: String)
        /// A table in which each era is sorted separately, and the column.
        case eras(table: String, column: String)
    }

    /// Where the index file stores the values in sorted order, or nil if it does not.
    var index: Index? {
        switch self {
        case .host: .blocks(table: "host_block", column: "host")
        case .status: .blocks(table: "status_block", column: "status")
        case .duration: .eras(table: "duration", column: "duration_ns")
        case .time, .method, .path, .type, .size, .process: nil
        }
    }
}
