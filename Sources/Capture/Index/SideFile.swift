internal import Glibc
internal import Threads

/// Names and removes files that stand beside the store and can be made again.
enum SideFile {
    /// The index beside a store.
    static func indexPath(besideStore path: String) -> String {
        let stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
        return stem + "-index.sqlite"
    }

    /// Deletes a database with its log. The log goes first: alone it would be taken for the next
    /// database's.
    ///
    /// The names are gone at once. Giving a large file's blocks back takes some ten milliseconds,
    /// for which whoever deletes it need not wait: that happens on a thread of its own.
    static func remove(_ path: String) {
        // Keeps the blocks without opening the file: closing a file that is open lets go of the
        // locks that SQLite has on it for this process.
        let descriptor = open(path, SideFile.referenceOnly | O_CLOEXEC)
        for suffix in ["-wal", "-shm", ""] { _ = unlink(path + suffix) }
        guard descriptor >= 0 else { return }
        let isStarted = startDetachedThread(stackByteCount: 64 << 10) { _ = close(descriptor) }
        if !isStarted { _ = close(descriptor) }
    }

    /// `O_PATH` of open(2), a macro that Swift does not see; the same wherever there is a Swift
    /// compiler.
    private static let referenceOnly: Int32 = 0o10_000_000

    /// Deletes the log of a database that is gone.
    static func removeOrphans(of path: String) {
        if access(path, F_OK) != 0 { remove(path) }
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
