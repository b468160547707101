internal import Glibc

/// Names and removes files that stand beside the store and can be made again.
enum SideFile {
    /// The index beside a store.
    static func indexPath(besideStore path: String) -> String {
        let stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
        return stem + "-index.sqlite"
    }

    /// Deletes a database with its log. The log goes first: alone it would be taken for the next
    /// database's.
    static func remove(_ path: String) {
        for suffix in ["-wal", "-shm", ""] { _ = unlink(path + suffix) }
    }

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
