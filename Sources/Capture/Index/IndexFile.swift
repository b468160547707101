internal import Glibc
internal import ProxydSystem

/// Names and removes files that stand beside the store and can be made again.
enum IndexFile {
    /// The index beside a store.
    static func indexPath(besideStore path: String) -> String {
        let stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
        return stem + "-index.sqlite"
    }

    /// Deletes databases with their logs. A log goes before its database: alone it would be taken
    /// for the next one's.
    ///
    /// The names are gone at once. Giving the blocks of large files back takes a tenth of a second,
    /// for which whoever deletes them need not wait: that happens on a thread of its own.
    /// - Parameter closing: Closes those that are open; called when the names are gone, because
    ///   SQLite then does not copy the log into a file that nobody will read.
    static func remove(_ paths: [String], closing: () -> Void = {}) {
        let files = paths.flatMap { path in ["-wal", "-shm", ""].map { path + $0 } }
        // Keeps the blocks without opening the file: closing a file that is open lets go of the
        // locks that SQLite has on it for this process.
        let descriptors = files.prefix(IndexFile.heldCountMax)
            .map { open($0, IndexFile.referenceOnly | O_CLOEXEC) }
            .filter { $0 >= 0 }
        for file in files { _ = unlink(file) }
        closing()
        guard !descriptors.isEmpty else { return }
        let release = { @Sendable in for descriptor in descriptors { _ = close(descriptor) } }
        if !startDetachedThread(stackByteCount: 64 << 10, release) { release() }
    }

    /// The blocks of more files are given back at once: descriptors may be few.
    private static let heldCountMax = 48

    /// `O_PATH` of open(2), a macro that Swift does not see; the same wherever there is a Swift
    /// compiler.
    private static let referenceOnly: Int32 = 0o10_000_000

    /// Deletes the log of a database that is gone.
    static func removeOrphans(of path: String) {
        if access(path, F_OK) != 0 { remove([path]) }
    }

    /// What a connection is told that writes such a file: after a crash of the machine it may lack
    /// the last changes, not be damaged.
    /// - Parameters:
    ///   - logPageCount: From how many pages on the log is copied into the file; 0 where that is
    ///     done elsewhere.
    ///   - logByteCountMax: What the log keeps on the disk when it has been copied.
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

    /// An SQLite URI that opens a file for reading only.
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
