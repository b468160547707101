internal import ProxydCOpenSSL

/// The CA that signs the certificates presented to clients: one per installation, stored in the
/// directory `ca` of the data directory.
public final class CertificateAuthority: Sendable {
    /// The CA's certificate, which may be published.
    public let certificate: CertificateSummary
    /// The names that the CA may sign for.
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

    /// The path of the certificate in `dataDirectory`.
    public static func certificatePath(in dataDirectory: String) -> String {
        CertificateAuthorityFiles.certificatePath(dataDirectory)
    }

    private init(_ pair: CertificateAuthorityFiles.Pair, _ scope: AuthorityScope) {
        self.scope = scope
        issuer = pair.certificate
        key = pair.key
        certificate = CertificateSummary(pair.certificate)
    }

    /// The certificate as PEM text.
    public var certificatePEM: [UInt8] { issuer.pem }
    /// The certificate as DER.
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
