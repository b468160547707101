internal import Glibc

/// The owner of a directory or link on the path to our files can replace it: only root and the
/// current user may own them.
enum PathOwnership {
    /// Checks every component of `path`, both as written and as resolved.
    static func check(_ path: String) throws(CertificateAuthorityError) {
        guard let resolved = realpath(path, nil) else {
            throw .inputOutput(path, "cannot be found")
        }
        defer { free(resolved) }
        try checkParts(of: path)
        try checkParts(of: String(cString: resolved))
    }

    private static func checkParts(of path: String) throws(CertificateAuthorityError) {
        var part = path.hasPrefix("/") ? "" : "."
        try checkPart(part + "/")
        for name in path.split(separator: "/") {
            part += "/\(name)"
            try checkPart(part)
        }
    }

    private static func checkPart(_ path: String) throws(CertificateAuthorityError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .inputOutput(path, "cannot be examined") }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw CertificateAuthorityError(
                .unsafeFile, path,
                "belongs to user \(status.st_uid), who could replace the key below it")
        }
        // The mode of a link is irrelevant; in a sticky directory others cannot rename our files.
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        let isSticky = status.st_mode & S_ISVTX != 0
        guard isLink || isSticky || status.st_mode & 0o002 == 0 else {
            throw CertificateAuthorityError(
                .unsafeFile, path, "anyone may replace the key below it (world-writable)")
        }
    }
}
