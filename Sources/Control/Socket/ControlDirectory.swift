internal import Glibc

/// The open data directory: what happens to files in it happens to this directory, whatever its
/// path names later.
struct ControlDirectory: ~Copyable {
    let path: String
    let descriptor: Int32
    let owner: uid_t

    /// Opens a directory; an error if it is not one or cannot be read.
    init(path: String) throws(ControlError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let kind: ControlError.Kind = errno == ENOENT ? .notRunning : .system
            throw ControlError(kind, "\(path): \(SystemMessage.text(errno))")
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            let message = SystemMessage.text(errno)
            close(descriptor)
            throw ControlError(.system, "\(path): \(message)")
        }
        self.path = path
        self.descriptor = descriptor
        owner = facts.st_uid
    }

    deinit { close(descriptor) }

    /// The facts of a file in it, symbolic links not followed; nil where there is none.
    func facts(of fileName: String) -> stat? {
        var facts = stat()
        return fstatat(descriptor, fileName, &facts, AT_SYMLINK_NOFOLLOW) == 0 ? facts : nil
    }
}
