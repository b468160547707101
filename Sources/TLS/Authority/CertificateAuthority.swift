internal import ProxydCOpenSSL
internal import ProxydSystem
internal import Glibc

/// The CA that signs the certificates presented to clients: one per installation, stored in the
/// directory `ca` of the data directory.
public final class CertificateAuthority: Sendable {
    /// The CA's certificate, which may be published.
    public let certificate: CertificateSummary
    public let scope: AuthorityScope
    private let issuer: Certificate
    private let key: PrivateKey

    /// Loads the certificate and key in `dataDirectory`, or creates them if there are none.
    ///
    /// Throws an error for a directory or file that others may read, that belongs to another user
    /// or is a symbolic link; for a key that does not match the certificate; and for a certificate
    /// that has expired, that has a key or signature of less than 112 bits of strength (RSA below
    /// 2048 bits, SHA-1), or that may sign for other names than `scope`. Never replaces a key.
    /// `now` is in seconds since 1970.
    public static func loadOrCreate(
        in dataDirectory: String, scope: AuthorityScope = .unlimited,
        now: Int = CertificateClock.now()
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        let files = try CertificateAuthorityFiles(dataDirectory: dataDirectory)
        let present = try files.load()
        let pair = if let present { present } else { try files.create(scope: scope, now: now) }
        let authority = CertificateAuthority(pair, scope)
        try authority.checkUsable(at: files.certificatePath, now: now)
        return authority
    }

    /// Loads only the certificate in `dataDirectory`; nil if there is none yet. Does not require
    /// permission to read the key.
    public static func loadCertificate(
        in dataDirectory: String
    ) throws(CertificateAuthorityError) -> CertificateSummary? {
        try CertificateAuthorityFiles.readCertificate(dataDirectory: dataDirectory)
            .map(CertificateSummary.init)
    }

    public static func certificatePath(in dataDirectory: String) -> String {
        CertificateAuthorityFiles.certificatePath(dataDirectory)
    }

    private init(_ pair: CertificateAuthorityFiles.Pair, _ scope: AuthorityScope) {
        self.scope = scope
        issuer = pair.certificate
        key = pair.key
        certificate = CertificateSummary(pair.certificate)
    }

    public var certificatePEM: [UInt8] { issuer.pem }
    public var certificateDER: [UInt8] { certificate.der }
    /// The end of validity, in seconds since 1970.
    public var notAfter: Int { certificate.notAfter }

    /// Issues a certificate for `name` with the public part of `key`.
    func issue(
        for name: PeerName, key leafKey: PrivateKey, now: Int
    ) throws(TLSError) -> LeafCertificate {
        guard now < notAfter else {
            throw TLSError(kind: .configuration, message: "the certificate authority has expired")
        }
        guard scope.permits(name.description) else {
            throw TLSError(
                kind: .configuration,
                message: "the certificate authority may not sign for this name")
        }
        let validity = LeafPolicy.validity(now: now, issuerNotAfter: notAfter)
        let builder = try CertificateBuilder(key: leafKey, validity: validity)
        try builder.addSubject("O", "proxyd")
        if name.description.utf8.count <= Self.commonNameByteCountMax {
            try builder.addSubject("CN", name.description)
        }
        try builder.setIssuer(issuer)
        try builder.addExtension(.basicConstraints, "critical,CA:FALSE")
        try builder.addExtension(.keyUsage, "critical,digitalSignature")
        try builder.addExtension(.extendedKeyUsage, "serverAuth")
        try builder.addExtension(.subjectKeyIdentifier, "hash")
        try builder.addExtension(.authorityKeyIdentifier, "keyid:always", issuer: issuer)
        try builder.addAlternativeName(name)
        return LeafCertificate(
            certificate: try builder.sign(with: key), key: leafKey, validity: validity)
    }

    /// The maximum length of a common name (RFC 5280 appendix A, ub-common-name).
    private static let commonNameByteCountMax = 64

    private func checkUsable(at path: String, now: Int) throws(CertificateAuthorityError) {
        guard X509_check_private_key(issuer.pointer, key.pointer) == 1 else {
            throw CertificateAuthorityError(
                .mismatch, path, "the key beside it is not this certificate's")
        }
        guard X509_check_ca(issuer.pointer) == 1 else {
            throw CertificateAuthorityError(
                .unreadable, path, "not the certificate of a certificate authority")
        }
        if let weakness = issuer.weakness {
            throw CertificateAuthorityError(
                .weak, path,
                "\(weakness), which clients refuse; remove the directory to have a new authority"
                    + " made, which must be trusted anew")
        }
        guard issuer.signingScope == scope else {
            let present = issuer.signingScope?.description ?? "names of another kind"
            throw CertificateAuthorityError(
                .mismatch, path,
                "made to sign for \(present), and the configuration asks for \(scope); remove"
                    + " the directory to have a new authority made, which must be trusted anew")
        }
        guard now < notAfter else {
            let date = CertificateTime.date(X509_get0_notAfter(issuer.pointer))
            throw CertificateAuthorityError(
                .expired, path,
                "expired on \(date); remove the directory to have a new authority made")
        }
    }
}

enum AuthorityCertificate {
    private static let day = 86_400
    /// Clients with a slow clock still accept what the CA signs.
    private static let backdatingSeconds = day
    /// Two years in total, including the backdating.
    private static let lifeSeconds = 729 * day
    private static let suffixByteCount = 4
    /// The space for the host in a common name of 64 bytes.
    private static let hostCharacterCountMax = 40

    /// Self-signed; may sign leaves for servers and nothing else. The subject tells this
    /// installation from any other. `now` is seconds since 1970.
    static func make(
        key: PrivateKey, scope: AuthorityScope = .unlimited, now: Int
    ) throws(TLSError) -> Certificate {
        let builder = try CertificateBuilder(
            key: key, validity: .init(from: now - backdatingSeconds, to: now + lifeSeconds))
        try builder.addSubject("O", "proxyd")
        try builder.addSubject("CN", "proxyd CA \(hostName()) \(suffix())")
        try builder.setIssuer(nil)
        try builder.addExtension(.basicConstraints, "critical,CA:TRUE,pathlen:0")
        try builder.addExtension(.keyUsage, "critical,keyCertSign,cRLSign")
        try builder.addExtension(.extendedKeyUsage, "serverAuth")
        try builder.addExtension(.subjectKeyIdentifier, "hash")
        try builder.addNameConstraints(scope)
        return try builder.sign(with: key)
    }

    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.prefix(hostCharacterCountMax).withUnsafeBufferPointer(PrintableText.ascii)
    }

    private static func suffix() -> String {
        (0..<suffixByteCount).map { _ in
            let text = String(UInt8.random(in: 0...255), radix: 16)
            return text.count < 2 ? "0" + text : text
        }.joined()
    }
}

/// The names that a CA may sign for, stated in its certificate (name constraints, RFC 5280
/// §4.2.1.10): clients that trust it reject certificates for other names, even if the key is
/// stolen.
public struct AuthorityScope: Sendable, Hashable, CustomStringConvertible {
    /// Any name and address.
    public static let unlimited = AuthorityScope()

    /// DNS names in lower case, sorted; each includes all names below it. Empty if there is no
    /// limit.
    public let names: [String]

    private init() { names = [] }

    /// Creates a limit to `names`, or no limit if there are none. nil if one is not a DNS name.
    public init?(names: [String]) {
        var checked: Set<String> = []
        for name in names {
            guard case .dns(let host) = PeerName(name), PeerName(name).isIssuable else {
                return nil
            }
            checked.insert(host)
        }
        self.names = checked.sorted()
    }

    /// Whether the CA may sign for a DNS name or an address; a limited one may for no address.
    public func permits(_ host: String) -> Bool {
        guard !names.isEmpty else { return true }
        guard case .dns(let name) = PeerName(host) else { return false }
        return names.contains { name == $0 || name.hasSuffix("." + $0) }
    }

    /// `example.com, example.org and the names below them`, or `any name`.
    public var description: String {
        switch names.count {
        case 0: "any name"
        case 1: "\(names[0]) and the names below it"
        default: names.joined(separator: ", ") + " and the names below them"
        }
    }
}

extension Certificate {
    /// The names that the name constraints permit. nil if there are constraints of another kind,
    /// which our CAs do not have.
    var signingScope: AuthorityScope? {
        defer { ErrorQueue.clear() }
        guard X509_get_ext_by_NID(pointer, NID_name_constraints, -1) >= 0 else { return .unlimited }
        guard let bytes = X509_get_ext_d2i(pointer, NID_name_constraints, nil, nil) else {
            return nil
        }
        let constraints = bytes.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        let permitted = constraints.pointee.permittedSubtrees
        var names: [String] = []
        for index in 0..<max(0, copenssl_subtree_count(permitted)) {
            guard let subtree = copenssl_subtree_at(permitted, index),
                let name = GeneralName(subtree.pointee.base).text
            else { return nil }
            names.append(name)
        }
        return names.isEmpty ? nil : AuthorityScope(names: names)
    }
}

/// Why the CA cannot be used, with a one-line message that says what to do about it.
public struct CertificateAuthorityError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// A file or directory is accessible to others, belongs to another user, or has the wrong
        /// type.
        case unsafeFile
        /// A file cannot be read or written.
        case inputOutput
        /// A file has invalid content.
        case unreadable
        /// The key does not match the certificate, or the certificate does not match the
        /// configuration.
        case mismatch
        /// The certificate is not valid now.
        case expired
        /// Key or signature are too weak for clients to accept.
        case weak
    }

    public let kind: Kind
    /// The file or directory that caused the error.
    public let path: String
    /// A one-line message for the user, starting with the path.
    public let message: String

    init(_ kind: Kind, _ path: String, _ what: String) {
        self.kind = kind
        self.path = path
        message = "\(path): \(what)"
    }

    init(_ problem: PathOwnership.Problem) {
        let reason = problem.error.map { ": \($0)" } ?? ""
        self.init(
            problem.error == nil ? .unsafeFile : .inputOutput, problem.path,
            problem.description + reason)
    }

    /// An error of the system, from `errno`.
    static func inputOutput(_ path: String, _ what: String) -> CertificateAuthorityError {
        CertificateAuthorityError(
            .inputOutput, path, "\(what): \(String(cString: strerror(errno)))")
    }

    public var description: String { message }
}
