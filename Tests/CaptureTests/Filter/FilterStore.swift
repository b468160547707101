import ProxydFilter
import ProxydFilterTestSupport

@testable import Capture

/// The store's tables in memory, with rows in them.
struct FilterStore {
    let database: SQLiteConnection
    let rows: [FilterRow]

    init(_ rows: [FilterRow]) throws {
        self.rows = rows
        database = try SQLiteConnection(path: ":memory:", .writing)
        for migration in Schema.migrations { try database.execute(migration) }
        for row in rows { try row.insert(into: database) }
    }

    /// The ids that pass, as a reader of the store finds them: SQL, then the predicate.
    func ids(matching filter: Filter) throws -> [Int64] {
        let compiled = filter.compile()
        let ids = try database.integers(
            "SELECT id FROM exchange WHERE \(compiled.sqlCondition) ORDER BY id",
            compiled.arguments)
        guard let residual = compiled.residual else { return ids }
        let rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        return ids.filter { id in rows[id].map { residual.matches($0) } ?? false }
    }

    /// The ids that pass, without SQL.
    func idsByPredicate(matching filter: Filter) -> [Int64] {
        rows.filter { filter.matches($0) }.map(\.id).sorted()
    }
}
