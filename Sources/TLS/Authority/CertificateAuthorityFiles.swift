internal import ProxydCOpenSSL
internal import Glibc

/// The directory `ca` and its two files.
///
/// A key is written under a temporary name and linked to its own, which fails where that is taken:
/// so a key is never half there and never replaced, and umask plays no part.
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

    /// Opens the directory, making it where it is missing, and checks that it is private.
    init(dataDirectory: String) throws(CertificateAuthorityError) {
        directory = try PrivateDirectory(creating: Self.directoryName, in: dataDirectory)
    }

    static func certificatePath(_ dataDirectory: String) -> String {
        "\(dataDirectory)/\(directoryName)/\(certificateName)"
    }

    var certificatePath: String { directory.path(of: Self.certificateName) }

    /// The certificate alone, for those who only want to trust it; nil where there is none.
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

    /// The pair; nil where there is neither file, or only a key: its certificate can be made anew.
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

    /// Makes the pair and writes it; takes the key that is there already, which is what a crash
    /// between the two files leaves behind.
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
