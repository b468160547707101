internal import ProxydCaptureModel
internal import ProxydSystem
internal import Synchronization

/// Rows that the index file or a search proposed.
extension StoreReader {
    /// The exchange numbers of a range that may match a filter, ascending, or nil if all must be
    /// scanned. The index file is queried once per filter and state of the store. Call it inside a
    /// read, before anything else is read.
    func candidates(
        _ compiled: CompiledFilter, from lowest: Int64, through highest: Int64,
        in database: SQLiteConnection
    ) throws -> [Int64]? {
        guard !compiled.probes.isEmpty,
            let changeNumber = try IndexPlan.changeNumber(in: database)
        else { return nil }
        let question = CandidateCache.Question(
            probes: compiled.probes, changeNumber: changeNumber,
            indexFile: attachedIndex.withLock { $0 })
        let known = candidateCache.withLock { $0.answer(to: question) }
        let all = known ?? IndexPlan.candidates(for: compiled.probes, in: database)
        // An incomplete answer must not be used.
        if ReadCancellation.isCurrentCancelled { throw StoreError.cancelled }
        if known == nil { candidateCache.withLock { $0.keep(all, for: question) } }
        return all?.filter { lowest <= $0 && $0 <= highest }
    }

    /// A condition on `exchange` for rows whose number is in a list and that match a filter.
    static func condition(
        among ids: some Sequence<Int64>, _ compiled: CompiledFilter
    ) -> (sql: String, arguments: [SQLValue]) {
        let list = ids.map { "\($0)" }.joined(separator: ",")
        return (
            "exchange.id IN (SELECT value FROM json_each(?)) AND (\(compiled.sqlCondition))",
            [.text("[\(list)]")] + compiled.arguments
        )
    }

    /// How many numbers the first read covers.
    private static let lookCountFirst = 32

    /// Goes through ascending numbers in parts; returns false if the body stopped it.
    func look(
        at ids: [Int64], _ isAscending: Bool, _ compiled: CompiledFilter,
        _ body: ([ExchangeRow], Int64) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var rest = ids[...]
        var count = StoreReader.lookCountFirst
        while !rest.isEmpty {
            let started = SystemClock.monotonicNow()
            let part = isAscending ? rest.prefix(count) : rest.suffix(count)
            rest = isAscending ? rest.dropFirst(count) : rest.dropLast(count)
            let condition = StoreReader.condition(among: part, compiled)
            let rows = try read {
                try StoreReader.rows(
                    where: condition.sql, condition.arguments, isAscending: isAscending,
                    compiled.residual, part.count, $0)
            }
            let wasSlow = SystemClock.monotonicNow() - started > StoreReader.windowNs
            count = wasSlow ? max(1, count / 4) : min(StoreReader.pageCount, count * 2)
            let through = (isAscending ? part.last : part.first) ?? 0
            guard try body(rows, through) else { return false }
        }
        return true
    }
}
