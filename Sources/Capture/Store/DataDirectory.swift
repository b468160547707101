public import ProxydCaptureModel
internal import ProxydSystem
internal import Glibc

/// The directory that contains the store, the control socket and the CA: mode 0700, files 0600.
public struct DataDirectory: Sendable, Hashable {
    /// The path of the directory, as given.
    public let path: String

    /// Creates a reference to a directory; nothing is created or changed before `prepare()`.
    public init(path: String) { self.path = path }

    /// The default data directory: `$PROXYD_DATA_DIR`, else `$XDG_DATA_HOME/proxyd`, else
    /// `~/.local/share/proxyd`; nil if the home directory is unknown.
    public static func standard(environment: [String: String]) -> DataDirectory? {
        if let path = environment["PROXYD_DATA_DIR"], !path.isEmpty {
            return DataDirectory(path: path)
        }
        // The XDG Base Directory Specification requires relative paths to be ignored.
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") {
            return DataDirectory(path: base + "/proxyd")
        }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return DataDirectory(path: home + "/.local/share/proxyd")
    }

    public var storePath: String { path + "/captures.sqlite" }
    /// The file whose lock makes its holder the only writer.
    public var lockPath: String { path + "/captures.lock" }
    public var socketPath: String { path + "/control.sock" }
    public var authorityPath: String { path + "/ca" }

    /// Creates the directory and its parents, with mode 0700 regardless of the umask; removes the
    /// access of others from an existing data directory. Before that, it checks who owns the path:
    /// another user could make a link that leads elsewhere.
    public func prepare() throws(StoreError) {
        var status = stat()
        let exists = stat(path, &status) == 0
        // Root may work on the data of another user.
        try checkPath(accepting: exists && geteuid() == 0 ? status.st_uid : nil)
        if !exists {
            try create()
            guard stat(path, &status) == 0 else { throw problem(errno) }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .directory(path: path, problem: "not a directory")
        }
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            throw .directory(path: path, problem: "belongs to another user")
        }
        if status.st_mode & 0o077 != 0 { try tighten() }
    }

    /// Throws if someone else than root and the current user could replace a part of the path.
    /// - Parameter other: A further user who may.
    public func checkPath(accepting other: UInt32? = nil) throws(StoreError) {
        do throws(PathOwnership.Problem) {
            try PathOwnership.check(path, accepting: other)
        } catch {
            let reason = error.error.map { ": \($0)" } ?? ""
            throw .directory(path: error.path, problem: error.description + reason)
        }
    }

    /// Creates each missing directory of the path; only the last one is made private.
    private func create() throws(StoreError) {
        var parent = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true).dropLast() {
            parent += (parent.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
            if mkdir(parent, 0o755) != 0, errno != EEXIST { throw problem(errno) }
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw problem(errno) }
        // Someone may have been faster.
        try checkPath()
        guard chmod(path, 0o700) == 0 else { throw problem(errno) }
    }

    /// Removes the permissions of others, but not from a directory that has another purpose too.
    private func tighten() throws(StoreError) {
        let ours = ["captures.sqlite", "captures.lock", "control.sock", "ca"]
        let names = entries()
        guard names.isEmpty || names.contains(where: ours.contains) else {
            throw .directory(
                path: path,
                problem: "other users may enter it and it holds other files: "
                    + "run chmod 0700 on it or choose another directory")
        }
        guard chmod(path, 0o700) == 0 else { throw problem(errno) }
    }

    private func entries() -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private func problem(_ code: Int32) -> StoreError {
        .directory(path: path, problem: String(cString: strerror(code)))
    }
}

/// Creates files that only their owner can read, regardless of the umask, and that the owner of the
/// data directory can open even if root created them.
enum PrivateFile {
    /// Opens a file for reading and writing, creating it if it does not exist; never follows a
    /// symbolic link. The caller closes the descriptor.
    static func open(_ path: String, in directory: String) throws(StoreError) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw problem(path, errno) }
        var status = stat()
        var failure: StoreError?
        if fstat(descriptor, &status) != 0 {
            failure = problem(path, errno)
        } else if status.st_mode & S_IFMT != S_IFREG {
            failure = .directory(path: path, problem: "not a regular file")
        } else if status.st_uid == geteuid() || geteuid() == 0 {
            if status.st_mode & 0o777 != 0o600 { _ = fchmod(descriptor, 0o600) }
            giveToOwner(of: directory, descriptor)
        } else {
            failure = .directory(path: path, problem: "belongs to another user")
        }
        if let failure {
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// Creates a file if it does not exist, and makes it private.
    static func ensure(_ path: String, in directory: String) throws(StoreError) {
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw .directory(path: path, problem: "not a regular file")
            }
            // The file is not opened: closing a second descriptor of a database would drop the
            // POSIX locks that SQLite holds for every connection of this process.
            if status.st_mode & 0o777 != 0o600 { _ = chmod(path, 0o600) }
            return
        }
        close(try open(path, in: directory))
        synchronize(directory: directory)
    }

    /// Makes a new or renamed directory entry durable against power failure.
    static func synchronize(directory: String) {
        let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }

    private static func giveToOwner(of directory: String, _ descriptor: Int32) {
        guard geteuid() == 0 else { return }
        var status = stat()
        guard stat(directory, &status) == 0 else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)
    }

    private static func problem(_ path: String, _ code: Int32) -> StoreError {
        switch code {
        case ELOOP: .directory(path: path, problem: "is a symbolic link")
        case ENOSPC, EDQUOT: .full("\(path): \(String(cString: strerror(code)))")
        default: .directory(path: path, problem: String(cString: strerror(code)))
        }
    }
}

enum FileSystem {
    /// The free space where a path is, in bytes; the maximum integer if it is unknown.
    static func freeByteCount(_ path: String) -> Int64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return .max }
        let count = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return count.overflow ? .max : Int64(clamping: count.partialValue)
    }
}
