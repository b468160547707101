internal import Capture
internal import Glibc

/// Facts about a store that are available while no daemon is running.
struct StoreFacts {
    /// The size of the database file in bytes.
    let storeByteCount: Int64
    /// The size of the write-ahead log in bytes; 0 if there is none.
    let walByteCount: Int64
    /// The number of exchanges, or nil if the store cannot be read.
    let exchangeCount: Int64?

    /// Returns nil if there is no store.
    init?(_ directory: DataDirectory) {
        guard let size = StoreFacts.byteCount(directory.storePath) else { return nil }
        storeByteCount = size
        walByteCount = StoreFacts.byteCount(directory.storePath + "-wal") ?? 0
        // Not through `StoreAccess`, whose advice about an unreadable store needs these facts.
        OwnerIdentity.assume(of: directory.path)
        exchangeCount = try? StoreReader(directory: directory).exchangeCount()
    }

    private static func byteCount(_ path: String) -> Int64? {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int64(facts.st_size) : nil
    }
}
