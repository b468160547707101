internal import ProxydTLS
internal import FoundationEssentials

/// A certificate as a server sends it or a file contains it.
public struct ServerCertificate: Sendable, Hashable, CustomStringConvertible {
    private let summary: CertificateSummary

    /// Parses DER, or returns nil if it is not exactly one certificate.
    public init?(der: [UInt8]) {
        guard let summary = CertificateSummary(der: der) else { return nil }
        self.init(summary)
    }

    init(_ summary: CertificateSummary) { self.summary = summary }

    public var der: [UInt8] { summary.der }
    /// The subject, such as `CN=example.org,O=Example`.
    public var subject: String { summary.subject }
    /// The issuer, in the same form as the subject.
    public var issuer: String { summary.issuer }
    /// The DNS names and addresses that the certificate is valid for.
    public var alternativeNames: [String] { summary.alternativeNames }
    /// Start of validity, in seconds since 1970.
    public var notBefore: Int { summary.notBefore }
    /// End of validity, in seconds since 1970.
    public var notAfter: Int { summary.notAfter }
    /// SHA-256 of the DER.
    public var fingerprint: [UInt8] { summary.fingerprint }
    /// The pin of the public key, or nil if the key cannot be parsed.
    public var publicKeyPin: PublicKeyPin? { PublicKeyPin(sha256: summary.publicKeyDigest ?? []) }

    /// Whether the certificate is valid for a DNS name or an address. The subject's common name is
    /// ignored.
    public func isFor(host: String) -> Bool { summary.isFor(host) }

    public var description: String { summary.subject }

    /// Extensions of certificate files; compared without case.
    static let fileEndings: Set = ["cer", "crt", "der", "pem"]

    /// The certificates in a file: one as DER, or any number as PEM.
    /// - Throws: if the file cannot be read or contains no certificate.
    public static func all(
        inFile path: String
    ) throws(CertificateFileError) -> [ServerCertificate] {
        let found = CertificateSummary.all(in: try CertificateFileError.contents(of: path))
        guard !found.isEmpty else { throw CertificateFileError(path, "no certificate in it") }
        return found.map { ServerCertificate($0) }
    }

    /// The certificates in all files of a directory that end in `.cer`, `.crt`, `.der` or `.pem`,
    /// sorted by file name. Subdirectories are ignored.
    /// - Throws: if the directory or one of the files cannot be read, or a file contains no
    ///   certificate: a skipped pin would be missed when the server starts to use it.
    public static func all(
        inDirectory path: String
    ) throws(CertificateFileError) -> [ServerCertificate] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw CertificateFileError(path, "the directory cannot be read")
        }
        var certificates: [ServerCertificate] = []
        for name in names.sorted() where hasCertificateEnding(name) {
            certificates += try all(inFile: "\(path)/\(name)")
        }
        return certificates
    }

    private static func hasCertificateEnding(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        return fileEndings.contains(name[name.index(after: dot)...].lowercased())
    }
}

/// A certificate with its private key, which a session presents to servers that ask for one (mutual
/// TLS). Descriptions contain no secrets.
public struct ClientCertificate: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let identity: ClientIdentity

    /// Reads PEM files: the certificate with any intermediate certificates to send, and the key,
    /// which may be in the same file. A password decrypts an encrypted key.
    public init(
        certificatePath: String, keyPath: String? = nil, password: String? = nil
    ) throws(CertificateFileError) {
        let certificates = try CertificateFileError.contents(of: certificatePath)
        let key = try keyPath.map(CertificateFileError.contents(of:)) ?? certificates
        do throws(TLSError) {
            identity = try ClientIdentity(
                certificatesPEM: certificates, privateKeyPEM: key, password: password)
        } catch {
            throw CertificateFileError(certificatePath, error.message)
        }
    }

    /// Reads a PKCS #12 file: `.p12` or `.pfx`.
    public init(pkcs12Path: String, password: String = "") throws(CertificateFileError) {
        let bytes = try CertificateFileError.contents(of: pkcs12Path)
        do throws(TLSError) {
            identity = try ClientIdentity(pkcs12: bytes, password: password)
        } catch {
            throw CertificateFileError(pkcs12Path, error.message)
        }
    }

    /// The certificate without its key.
    public var certificate: ServerCertificate? { ServerCertificate(der: identity.certificateDER) }

    /// The certificate's subject, never the key.
    public var description: String { "ClientCertificate(\(certificate?.subject ?? ""))" }
    public var debugDescription: String { description }
}

/// Which certificate is presented to which servers. It is presented only to servers that ask for
/// one.
public struct ClientCertificates: Sendable {
    private let certificates: HostTable<ClientCertificate>

    public static let none = ClientCertificates(hosts: [:])

    /// Presents the same certificate to every server, including those that redirects lead to.
    public init(_ certificate: ClientCertificate) { self.init(hosts: ["*": certificate]) }

    /// Certificates by host: a name or address as in URLs, `*.example.org` for every name below
    /// `example.org`, or `*` for all. The most specific entry applies.
    public init(hosts: [String: ClientCertificate]) { certificates = HostTable(hosts) }

    public func certificate(forHost host: String) -> ClientCertificate? { match(host)?.value }

    func match(_ host: String) -> (entry: String, value: ClientCertificate)? {
        certificates.match(host)
    }
}

/// Why a file with certificates, keys or revocation lists cannot be used.
public struct CertificateFileError: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    /// One readable line, without secrets.
    public let message: String

    init(_ path: String, _ message: String) {
        self.path = path
        self.message = message
    }

    public var description: String { "\(path): \(message)" }

    static func contents(of path: String) throws(CertificateFileError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CertificateFileError(path, "the file cannot be read")
        }
        return [UInt8](data)
    }
}
