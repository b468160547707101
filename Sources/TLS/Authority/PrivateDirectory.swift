internal import Glibc
internal import ProxydSystem

/// A directory that only its owner may access, and its private files. All checks use open
/// descriptors, so that nothing can change between check and use.
struct PrivateDirectory {
    /// Where it is.
    let path: String
    private let descriptor: OwnedDescriptor

    /// Opens `name` in `parent`, creating it if it is missing (`parent` must exist).
    init(creating name: String, in parent: String) throws(CertificateAuthorityError) {
        path = "\(parent)/\(name)"
        do throws(PathOwnership.Problem) {
            try PathOwnership.check(parent)
        } catch {
            throw CertificateAuthorityError(error)
        }
        let isNew = mkdir(path, 0o700) == 0
        guard isNew || errno == EEXIST else { throw .inputOutput(path, "cannot be created") }
        // The umask may have taken away even our own right to open it.
        if isNew, chmod(path, 0o700) != 0 { throw .inputOutput(path, "cannot be made private") }
        let opened = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            if errno == ENOTDIR || errno == ELOOP {
                throw CertificateAuthorityError(
                    .unsafeFile, path, "is not a directory (symbolic links are not followed)")
            }
            throw .inputOutput(path, "cannot be opened")
        }
        descriptor = OwnedDescriptor(opened)
        try Self.check(opened, path)
    }

    /// Where a file of it is.
    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Opens a file for reading and checks that it is private; nil if it is missing.
    func open(_ name: String) throws(CertificateAuthorityError) -> Int32? {
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let opened = openat(descriptor.value, name, flags)
        if opened < 0 && errno == ENOENT { return nil }
        if opened < 0 && errno == ELOOP {
            throw CertificateAuthorityError(
                .unsafeFile, path(of: name), "is a symbolic link, which is not followed")
        }
        guard opened >= 0 else { throw .inputOutput(path(of: name), "cannot be opened") }
        do {
            try Self.check(opened, path(of: name), isFile: true)
        } catch {
            close(opened)
            throw error
        }
        return opened
    }

    /// Creates a file atomically, readable by its owner only; never replaces one. `write` writes
    /// the content to the descriptor and returns whether it succeeded.
    func create(
        _ name: String, _ write: (Int32) -> Bool
    ) throws(CertificateAuthorityError) {
        let temporary = ".\(name).\(getpid())"
        unlinkat(descriptor.value, temporary, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let opened = openat(descriptor.value, temporary, flags, 0o600)
        guard opened >= 0 else { throw .inputOutput(path(of: name), "cannot be written") }
        defer {
            close(opened)
            unlinkat(descriptor.value, temporary, 0)
        }
        guard fchmod(opened, 0o600) == 0, write(opened), fsync(opened) == 0,
            linkat(descriptor.value, temporary, descriptor.value, name, 0) == 0,
            fsync(descriptor.value) == 0
        else { throw .inputOutput(path(of: name), "cannot be written") }
    }

    private static func check(
        _ descriptor: Int32, _ path: String, isFile: Bool = false
    ) throws(CertificateAuthorityError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .inputOutput(path, "cannot be examined")
        }
        if isFile && status.st_mode & S_IFMT != S_IFREG {
            throw CertificateAuthorityError(.unsafeFile, path, "is not a regular file")
        }
        guard status.st_uid == geteuid() else {
            throw CertificateAuthorityError(
                .unsafeFile, path,
                "belongs to user \(status.st_uid), not to this one (\(geteuid()))")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw CertificateAuthorityError(
                .unsafeFile, path,
                "others may read or change it (mode \(mode)); if they cannot have had the key,"
                    + " run: chmod \(isFile ? "600" : "700") '\(path)'")
        }
    }
}
