internal import Glibc
internal import ProxydCaptureModel

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
