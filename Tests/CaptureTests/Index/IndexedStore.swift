import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydFilterTestSupport

@testable import Capture

/// A store in a file, with a reader as the real one has and the index file beside it.
final class IndexedStore {
    let directory: String
    let storePath: String
    private let writer: SQLiteConnection
    private var rows: [Int64: FilterRow] = [:]

    init() throws {
        directory = NSTemporaryDirectory() + "proxyd index #%?-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        storePath = directory + "/captures.sqlite"
        writer = try IndexedStore.makeStore(storePath)
    }

    deinit {
        writer.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func makeStore(_ path: String) throws -> SQLiteConnection {
        let database = try SQLiteConnection(
            path: path, .writing, setUp: "PRAGMA journal_mode = WAL")
        for migration in Schema.migrations { try database.execute(migration) }
        return database
    }

    var indexPath: String { directory + "/captures-index.sqlite" }

    func builder(lagCount: Int64 = 10) -> IndexBuilder {
        IndexBuilder(storePath: storePath, directory: directory, lagCount: lagCount)
    }

    func insert(_ rows: [FilterRow]) throws {
        for row in rows { self.rows[row.id] = row }
        try writer.transaction(.immediate) { () throws(StoreError) in
            for row in rows { try row.insert(into: writer) }
            try writer.execute(
                """
                UPDATE store_state SET exchange_count = (SELECT count(*) FROM exchange),
                  last_exchange_id = max(last_exchange_id, (SELECT max(id) FROM exchange))
                """)
        }
    }

    func execute(_ sql: String) throws { try writer.execute(sql) }

    /// Changes the index file as no program of ours would.
    func damageIndex(_ sql: String) throws {
        try SQLiteConnection(path: indexPath, .writing).execute(sql)
    }

    /// A number that the index file gives for a query.
    func indexed(_ sql: String) throws -> Int64? {
        try SQLiteConnection(path: indexPath, .reading).integer(sql)
    }

    /// What a listing finds, and whether the index file was asked.
    func find(_ text: String, now: Int64 = 50_000_000_000) throws -> (ids: [Int64], isIndexed: Bool)
    {
        let compiled = try Filter.parse(text, now: now).compile()
        let reader = try SharedConnection(path: storePath)
        try reader.use { IndexPlan.attach(to: $0, storePath: storePath) }
        return try reader.read { database in
            let candidates = IndexPlan.candidates(for: compiled.probes, in: database)
            let condition =
                candidates.map { StoreReader.condition(among: $0, compiled) }
                ?? (sql: compiled.sqlCondition, arguments: compiled.arguments)
            let ids = try database.integers(
                "SELECT id FROM exchange WHERE \(condition.sql) ORDER BY id", condition.arguments)
            let passing = ids.filter { id in
                compiled.residual.map { rule in rows[id].map { rule.matches($0) } ?? false } ?? true
            }
            return (passing, candidates != nil)
        }
    }
}
