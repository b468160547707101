internal import Glibc
internal import ProxydSystem

/// Names and removes the files beside the store that can be rebuilt.
enum IndexFile {
    /// The path of the index beside a store.
    static func indexPath(besideStore path: String) -> String {
        let stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
        return stem + "-index.sqlite"
    }

    /// Deletes databases and their write-ahead logs. A log is deleted before its database, because
    /// a log left alone would be taken for the log of the next database.
    ///
    /// The names are removed immediately. Freeing the blocks of large files takes a tenth of a
    /// second, so that happens on a separate thread and the caller need not wait.
    /// - Parameter closing: Closes the open databases. It is called after the names are removed,
    ///   because SQLite then does not copy the log into a file that no one will read.
    static func remove(_ paths: [String], closing: () -> Void = {}) {
        let files = paths.flatMap { path in ["-wal", "-shm", ""].map { path + $0 } }
        // A reference keeps the blocks without opening the file: closing an open file would release
        // the locks that SQLite holds on it for this process.
        let descriptors = files.prefix(IndexFile.heldCountMax)
            .map { open($0, IndexFile.referenceOnly | O_CLOEXEC) }
            .filter { $0 >= 0 }
        for file in files { _ = unlink(file) }
        closing()
        guard !descriptors.isEmpty else { return }
        let release = { @Sendable in for descriptor in descriptors { _ = close(descriptor) } }
        if !startDetachedThread(stackByteCount: 64 << 10, release) { release() }
    }

    /// The blocks of any further files are freed immediately, because descriptors may be scarce.
    private static let heldCountMax = 48

    /// `O_PATH` of open(2), a macro that Swift cannot import; it has the same value on every
    /// platform with a Swift compiler.
    private static let referenceOnly: Int32 = 0o10_000_000

    /// Deletes the log of a database that no longer exists.
    static func removeOrphans(of path: String) {
        if access(path, F_OK) != 0 { remove([path]) }
    }

    /// The pragmas for a connection that writes such a file: after a machine crash the file may
    /// lack the latest changes, but must not be damaged.
    /// - Parameters:
    ///   - logPageCount: The number of pages after which the log is copied into the file; 0 if
    ///     that is done elsewhere.
    ///   - logByteCountMax: The size to which the log is truncated after it has been copied.
    static func setUp(logPageCount: Int, logByteCountMax: Int) -> String {
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        PRAGMA cache_size = -4096;
        PRAGMA temp_store = MEMORY;
        PRAGMA trusted_schema = OFF;
        PRAGMA wal_autocheckpoint = \(logPageCount);
        PRAGMA journal_size_limit = \(logByteCountMax);
        """
    }

    /// An SQLite URI that opens a file read-only.
    static func readOnlyURI(_ path: String) -> String {
        let escaped = path.unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%25"
            case "?": "%3f"
            case "#": "%23"
            default: String(scalar)
            }
        }
        return "file:\(escaped.joined())?mode=ro"
    }
}
