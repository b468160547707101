internal import ProxydCSQLite

/// The SQLite library that is loaded at run time.
public enum StoreLibrary {
    /// The version of SQLite, such as `3.40.1`.
    public static var version: String { String(cString: sqlite3_libversion()) }

    /// Limits the memory that SQLite takes in this process; a statement that needs more fails.
    /// - Parameter byteCount: The limit in bytes.
    public static func limitMemory(byteCount: Int64) { sqlite3_hard_heap_limit64(byteCount) }

    /// Configures the library for a process that records. By default SQLite counts its memory,
    /// under a lock, at every allocation, and the figures are not used. Has no effect if a database
    /// was opened before.
    static func prepareForRecording() { _ = isWithoutStatistics }

    /// Once per process: SQLite accepts it only before its first use.
    private static let isWithoutStatistics = proxyd_sqlite_forget_memory_statistics() != 0
}
