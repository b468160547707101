internal import GRDB

/// Rows that a search proposed.
extension StoreReader {
    /// How many are looked at in one read at first.
    private static let lookCountFirst = 32

    /// Looks at some numbers (ascending), part by part; false where the body has had enough.
    func look(
        at ids: [Int64], _ isAscending: Bool, _ compiled: CompiledFilter,
        _ body: ([ExchangeRow], Int64) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var rest = ids[...]
        var count = StoreReader.lookCountFirst
        while !rest.isEmpty {
            let started = RecorderClock.now()
            let part = isAscending ? rest.prefix(count) : rest.suffix(count)
            rest = isAscending ? rest.dropFirst(count) : rest.dropLast(count)
            let list = part.map { "\($0)" }.joined(separator: ",")
            let rows = try read {
                try StoreReader.rows(
                    where: """
                        exchange.id IN (SELECT value FROM json_each(?)) \
                        AND (\(compiled.sqlCondition))
                        """,
                    StatementArguments(["[\(list)]"]) + compiled.arguments,
                    isAscending: isAscending, compiled.residual, part.count, $0)
            }
            let wasSlow = RecorderClock.now() - started > StoreReader.windowNs
            count = wasSlow ? max(1, count / 4) : min(StoreReader.pageCount, count * 2)
            let through = (isAscending ? part.last : part.first) ?? 0
            guard try body(rows, through) else { return false }
        }
        return true
    }
}
