internal import ProxydCOpenSSL
internal import ProxydSystem
internal import Glibc

/// The directory `ca` and its two files.
///
/// A key is written under a temporary name and then linked to its final name, which fails if that
/// exists: a key is never incomplete and never replaced, and umask has no effect.
struct CertificateAuthorityFiles {
    struct Pair {
        let certificate: Certificate
        let key: PrivateKey
    }

    private static let directoryName = "ca"
    private static let certificateName = "ca.pem"
    private static let keyName = "ca-key.pem"

    private let directory: PrivateDirectory

    /// Opens the directory, creating it if it is missing, and checks that it is private.
    init(dataDirectory: String) throws(CertificateAuthorityError) {
        directory = try PrivateDirectory(creating: Self.directoryName, in: dataDirectory)
    }

    static func certificatePath(_ dataDirectory: String) -> String {
        "\(dataDirectory)/\(directoryName)/\(certificateName)"
    }

    var certificatePath: String { directory.path(of: Self.certificateName) }

    /// Reads only the certificate, for callers that want to trust it; nil if there is none.
    static func readCertificate(
        dataDirectory: String
    ) throws(CertificateAuthorityError) -> Certificate? {
        let path = certificatePath(dataDirectory)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 && errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw .inputOutput(path, "cannot be opened") }
        defer { close(descriptor) }
        return try certificate(from: descriptor, path)
    }

    /// The pair; nil if neither file exists, or only a key: its certificate can be created again.
    func load() throws(CertificateAuthorityError) -> Pair? {
        guard let descriptor = try directory.open(Self.certificateName) else { return nil }
        defer { close(descriptor) }
        let certificate = try Self.certificate(from: descriptor, certificatePath)
        guard let key = try loadKey() else {
            throw CertificateAuthorityError(
                .unreadable, directory.path(of: Self.keyName),
                "missing, although its certificate is there; restore it, or remove the"
                    + " certificate to have a new authority made")
        }
        return Pair(certificate: certificate, key: key)
    }

    /// Creates the pair and writes it; reuses an existing key, which a crash between the two files
    /// leaves.
    func create(scope: AuthorityScope, now: Int) throws(CertificateAuthorityError) -> Pair {
        do {
            let present = try loadKey()
            let key = try present ?? PrivateKey.generate()
            let certificate = try AuthorityCertificate.make(key: key, scope: scope, now: now)
            if present == nil {
                try directory.create(Self.keyName) { descriptor in
                    Self.write(to: descriptor) { bio in
                        PEM_write_bio_PKCS8PrivateKey(bio, key.pointer, nil, nil, 0, nil, nil)
                    }
                }
            }
            try directory.create(Self.certificateName) { descriptor in
                Self.write(to: descriptor) { PEM_write_bio_X509($0, certificate.pointer) }
            }
            return Pair(certificate: certificate, key: key)
        } catch let error as CertificateAuthorityError {
            throw error
        } catch {
            throw CertificateAuthorityError(.unreadable, directory.path, "\(error)")
        }
    }

    private func loadKey() throws(CertificateAuthorityError) -> PrivateKey? {
        guard let descriptor = try directory.open(Self.keyName) else { return nil }
        defer { close(descriptor) }
        let path = directory.path(of: Self.keyName)
        return try Self.read(
            descriptor, path, "holds no private key in PEM form without password",
            PEM.privateKey(from:))
    }

    private static func certificate(
        from descriptor: Int32, _ path: String
    ) throws(CertificateAuthorityError) -> Certificate {
        try read(descriptor, path, "holds no certificate in PEM form", PEM.certificate(from:))
    }

    private static func read<Content>(
        _ descriptor: Int32, _ path: String, _ complaint: String,
        _ body: (OpaquePointer) -> Content?
    ) throws(CertificateAuthorityError) -> Content {
        guard let bio = BIO_new_fd(descriptor, BIO_NOCLOSE) else {
            throw .inputOutput(path, "cannot be read")
        }
        defer { BIO_free(bio) }
        guard let content = body(bio) else {
            throw CertificateAuthorityError(
                .unreadable, path, "\(complaint) (\(ErrorQueue.drain().text))")
        }
        return content
    }

    private static func write(to descriptor: Int32, _ body: (OpaquePointer) -> Int32) -> Bool {
        guard let bio = BIO_new_fd(descriptor, BIO_NOCLOSE) else { return false }
        defer { BIO_free(bio) }
        return body(bio) == 1
    }
}

/// A directory that only its owner may access, and its private files. All checks use open
/// descriptors, so that nothing can change between check and use.
struct PrivateDirectory {
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
    func create(_ name: String, _ write: (Int32) -> Bool) throws(CertificateAuthorityError) {
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

/// Closes its descriptor when it goes.
final class OwnedDescriptor: Sendable {
    let value: Int32

    init(_ value: Int32) { self.value = value }

    deinit { close(value) }
}
