internal import GRDBSQLite

/// The database library as it is at run time.
public enum StoreLibrary {
    /// Its version: `3.40.1`.
    public static var version: String { String(cString: sqlite3_libversion()) }
}
