internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Rows in the order of a column, page by page.
extension StoreReader {
    /// Entries of the index file looked at for one page before all rows are looked at instead: a
    /// filter that lets little through finds it faster there.
    private static let indexLookCountMax = 20_000

    /// The places of rows that pass a filter, sorted by a column, at most `limit`: those behind a
    /// place, or those in front of it where `isBackward`, nearest first. Rows without a value come
    /// last in either direction of sorting. `progress` is told how far a look at many rows is, 0 to
    /// 1; there may be two of them.
    func sortKeys(
        matching filter: Filter = .everything, by column: SortColumn, isDescending: Bool,
        from start: SortKey? = nil, isBackward: Bool = false, limit: Int,
        progress: (Double) -> Void = { _ in }
    ) throws(StoreError) -> [SortKey] {
        guard limit > 0 else { return [] }
        let compiled = filter.compile()
        try attachIndex()
        let walk = SortWalk(
            column: column, isDescending: isDescending != isBackward, start: start)
        // Rows without a value stand behind the others; backwards they come first.
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

    /// Rows that have a value: out of the index file where it helps, else by looking at all.
    private func keysWithValue(
        _ compiled: CompiledFilter, _ walk: SortWalk, limit: Int, _ progress: (Double) -> Void
    ) throws(StoreError) -> [SortKey] {
        if walk.column.index != nil, let keys = try? indexedKeys(compiled, walk, limit: limit) {
            return keys
        }
        if ReadCancellation.current?.isCancelled == true { throw .cancelled }
        return compiled.residual == nil && compiled.searches.isEmpty
            ? try scannedKeys(compiled, walk, limit: limit, progress)
            : try chosenKeys(compiled, walk, limit: limit, progress)
    }

    // MARK: With the index file

    /// What the index file has in order, with what it does not have yet; nil where it is no help.
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

    /// The next places of the index file, whatever their rows are; nil where it is damaged.
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

    /// Blocks are taken apart here, and not by the database, which would sort what is in all of
    /// them to find the first ones.
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

    /// What one block has behind the start of a walk; nil where it is damaged.
    private static func blockKeys(_ row: SQLiteRow, _ walk: SortWalk) -> [SortKey]? {
        guard let value = row.sortValue(0), let block = row.integer(1),
            let ids = IndexBlock.ids(in: block, places: row.octets(2) ?? [])
        else { return nil }
        let keys = (walk.isDescending ? ids.reversed() : ids).map {
            SortKey(value: value, id: ExchangeID(rawValue: $0))
        }
        return keys.filter { walk.start?.isBefore($0, isDescending: walk.isDescending) ?? true }
    }

    /// Those of some places whose rows are there and pass.
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

    /// The rows that the index file does not have: the newest ones, and those that lasted.
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
