internal import Capture
internal import Foundation

/// What can be said of a store while no daemon runs.
struct StoreFacts {
    /// Octets of the database file.
    let storeByteCount: Int64
    /// Octets of the write-ahead log; 0 where there is none.
    let walByteCount: Int64
    /// Exchanges in it; nil where it cannot be read.
    let exchangeCount: Int64?

    /// nil where there is no store.
    init?(_ directory: DataDirectory) {
        guard let size = StoreFacts.byteCount(directory.storePath) else { return nil }
        storeByteCount = size
        walByteCount = StoreFacts.byteCount(directory.storePath + "-wal") ?? 0
        exchangeCount = try? StoreAccess.reader(directory).exchangeCount()
    }

    private static func byteCount(_ path: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value
    }
}
