internal import GRDB
internal import Glibc
internal import ProxydCaptureModel

/// One search file, open for reading: what it covered when it was opened, and what it proposes.
final class SearchFile: Sendable {
    let extent: SearchExtent
    private let queue: DatabaseQueue

    /// Opens a file; nil where there is none, or one of another layout.
    init?(_ number: Int, path: String) throws {
        guard access(path, F_OK) == 0 else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "proxyd.search.reader"
        configuration.busyMode = .timeout(0.25)
        configuration.prepareDatabase {
            try $0.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        guard let extent = try queue.read({ try SearchExtent.read($0) }) else { return nil }
        self.extent = extent
    }

    /// The numbers of exchanges that may pass all probes, ascending; nil where they are so many
    /// that the store is better read as it lies.
    func candidates(_ probes: [SearchProbe]) throws -> [Int64]? {
        let limit = max(SearchFile.candidateCountMin, extent.indexedCount / 4)
        let selects = probes.map { "SELECT * FROM (\($0.sql))" }
        let ids = try queue.read { database in
            try ReadCancellation.reading(queue) {
                try Int64.fetchAll(
                    database,
                    sql: selects.joined(separator: " INTERSECT ") + " ORDER BY 1 LIMIT ?",
                    arguments: StatementArguments(
                        probes.map(\.query.databaseValue) + [(limit + 1).databaseValue]))
            }
        }
        return ids.count > limit ? nil : ids
    }

    /// So few are worth looking up in any file.
    private static let candidateCountMin: Int64 = 100
}
