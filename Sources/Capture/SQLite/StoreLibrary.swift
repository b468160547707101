internal import ProxydCSQLite

/// The database library as it is at run time.
public enum StoreLibrary {
    /// Its version: `3.40.1`.
    public static var version: String { String(cString: sqlite3_libversion()) }

    /// Sets the library up for a process that records. It would count its memory, under a lock, at
    /// every allocation; nobody asks for the figures. Whoever has opened a database before keeps
    /// what there is.
    static func prepareForRecording() { _ = isWithoutStatistics }

    /// Once in a process: SQLite takes it only before its first use.
    private static let isWithoutStatistics = proxyd_sqlite_forget_memory_statistics() != 0
}
