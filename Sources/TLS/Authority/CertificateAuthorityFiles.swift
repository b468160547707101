internal import ProxydCOpenSSL
internal import Glibc

/// The directory `ca` and its two files.
///
/// A key is written under a temporary name and then linked to its final name, which fails if that
/// exists: a key is never incomplete and never replaced, and umask has no effect.
struct CertificateAuthorityFiles {
    /// The authority's certificate and key.
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

    private static func write(
        to descriptor: Int32, _ body: (OpaquePointer) -> Int32
    ) -> Bool {
        guard let bio = BIO_new_fd(descriptor, BIO_NOCLOSE) else { return false }
        defer { BIO_free(bio) }
        return body(bio) == 1
    }
}
