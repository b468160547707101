internal import Glibc
internal import ProxydCaptureModel

/// One search file, open for reading: the range it covered when it was opened, and its proposals.
final class SearchFile: Sendable {
    let extent: SearchExtent
    private let connection: SharedConnection

    /// Opens a file; returns nil if it does not exist or has another layout.
    init?(_ number: Int, path: String) throws(StoreError) {
        guard access(path, F_OK) == 0 else { return nil }
        connection = try SharedConnection(
            path: path, busyTimeoutMs: 250,
            setUp: "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY")
        guard let extent = try connection.read({ try SearchExtent.read($0) }) else { return nil }
        self.extent = extent
    }

    /// The numbers of exchanges that may match all probes, ascending, or nil if there are too many,
    /// so that a scan of the store is better.
    func candidates(_ probes: [SearchProbe]) throws(StoreError) -> [Int64]? {
        let limit = max(SearchFile.candidateCountMin, extent.indexedCount / 4)
        let selects = probes.map { "SELECT * FROM (\($0.sql))" }
        let ids = try connection.read {
            try $0.integers(
                selects.joined(separator: " INTERSECT ") + " ORDER BY 1 LIMIT ?",
                probes.map { .text($0.query) } + [.integer(limit + 1)])
        }
        return ids.count > limit ? nil : ids
    }

    /// Up to this many are worth looking up in any file.
    private static let candidateCountMin: Int64 = 100
}
