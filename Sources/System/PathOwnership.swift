internal import Glibc

/// The owner of a directory or link on the path to our files can replace it: only root and the
/// current user may own them.
public enum PathOwnership {
    /// A part of a path that cannot be trusted, or not be examined.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The part.
        public let path: String
        /// What is wrong with it.
        public let description: String
        /// The error of the system; nil if the part was examined and is unsafe.
        public let error: SystemError?
    }

    /// Checks every component of a path, both as written and as resolved; of a path that does not
    /// exist yet, those that do.
    /// - Parameter other: A further user who may own them.
    public static func check(_ path: String, accepting other: UInt32? = nil) throws(Problem) {
        let owners = Set([0, geteuid(), other].compactMap { $0 })
        var part = path.hasPrefix("/") ? "/" : "."
        try checkPart(part, owners)
        for name in path.split(separator: "/") {
            let next = part == "/" ? "/\(name)" : "\(part)/\(name)"
            var status = stat()
            if lstat(next, &status) != 0, errno == ENOENT { break }
            try checkPart(next, owners)
            part = next
        }
        guard let resolved = realpath(part, nil) else {
            throw Problem(path: part, description: "cannot be found", error: SystemError())
        }
        defer { free(resolved) }
        part = ""
        for name in String(cString: resolved).split(separator: "/") {
            part += "/\(name)"
            try checkPart(part, owners)
        }
    }

    private static func checkPart(_ path: String, _ owners: Set<uid_t>) throws(Problem) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw Problem(path: path, description: "cannot be examined", error: SystemError())
        }
        guard owners.contains(status.st_uid) else {
            throw Problem(
                path: path,
                description: "belongs to user \(status.st_uid), who could replace what is below it",
                error: nil)
        }
        // The mode of a link is irrelevant; in a sticky directory others cannot rename our files.
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        let isSticky = status.st_mode & S_ISVTX != 0
        guard isLink || isSticky || status.st_mode & 0o002 == 0 else {
            throw Problem(
                path: path, description: "anyone may replace what is below it (world-writable)",
                error: nil)
        }
    }
}
