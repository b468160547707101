internal import ProxydCOpenSSL

/// The main facts about a certificate, for display.
public struct CertificateSummary: Sendable, Hashable {
    public let der: [UInt8]
    /// The subject, most specific part first: `CN=example.org,O=Example`.
    public let subject: String
    /// The issuer, in the same form as the subject.
    public let issuer: String
    /// The DNS names and addresses that the certificate is valid for.
    public let alternativeNames: [String]
    /// The start of validity, in seconds since 1970.
    public let notBefore: Int
    /// The end of validity, in seconds since 1970.
    public let notAfter: Int
    /// SHA-256 of the DER.
    public let fingerprint: [UInt8]

    /// Parses DER; nil if `der` is not exactly one certificate.
    public init?(der: [UInt8]) {
        guard let certificate = Certificate(der: der) else { return nil }
        self.init(certificate)
    }

    init(_ certificate: Certificate) {
        der = certificate.der
        subject = certificate.subject
        issuer = certificate.issuer
        alternativeNames = certificate.alternativeNames
        notBefore = certificate.notBefore
        notAfter = certificate.notAfter
        fingerprint = certificate.fingerprint
    }

    /// The fingerprint as tools print it: `AB:CD:…`.
    public var fingerprintText: String {
        fingerprint.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "0" + digits : digits
        }.joined(separator: ":")
    }

    public var pem: [UInt8] { Certificate(der: der)?.pem ?? [] }

    /// The certificates in a file's content: one in DER, or any number in PEM. Empty if none can be
    /// parsed.
    public static func all(in bytes: [UInt8]) -> [CertificateSummary] {
        if let one = CertificateSummary(der: bytes) { return [one] }
        return PEM.certificates(in: bytes).map { CertificateSummary($0) }
    }

    /// The SHA-256 of the public key with its algorithm, as in HTTP Public Key Pinning
    /// (SubjectPublicKeyInfo, RFC 7469 §2.4); nil if the key cannot be parsed.
    public var publicKeyDigest: [UInt8]? {
        guard let certificate = Certificate(der: der),
            let key = X509_get_X509_PUBKEY(certificate.pointer)
        else { return nil }
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(key, &start)
        defer { ErrorQueue.clear() }
        guard let start, count > 0 else { return nil }
        defer { CRYPTO_free(start, #file, #line) }
        return Digest.sha256([UInt8](UnsafeBufferPointer(start: start, count: Int(count))))
    }

    /// The names that the certificate may sign for, if it is from one of our CAs; nil if it has
    /// other constraints than ours.
    public var signingScope: AuthorityScope? { Certificate(der: der)?.signingScope }

    /// Whether the certificate is for a DNS name or an address, by its alternative names only.
    public func isFor(_ name: String) -> Bool {
        guard let certificate = Certificate(der: der) else { return false }
        let flags = PeerName.hostFlags
        defer { ErrorQueue.clear() }
        return switch PeerName(name) {
        case .dns(""): false
        case .dns(let host):
            X509_check_host(certificate.pointer, host, host.utf8.count, flags, nil) == 1
        case .address(let bytes, _):
            X509_check_ip(certificate.pointer, bytes, bytes.count, flags) == 1
        }
    }

    /// Details of a certificate beyond its names and validity.
    public struct Details: Sendable, Hashable {
        /// `RSA, 2048 bits`.
        public let key: String
        /// The signature algorithm: `sha256WithRSAEncryption`.
        public let signature: String
        public let serial: String
        /// Whether the certificate may sign others.
        public let isAuthority: Bool
    }

    /// The details; nil if OpenSSL cannot parse the certificate.
    public var details: Details? {
        guard let certificate = Certificate(der: der) else { return nil }
        defer { ErrorQueue.clear() }
        let pointer = certificate.pointer
        return Details(
            key: CertificateSummary.key(of: pointer),
            signature: OBJ_nid2ln(X509_get_signature_nid(pointer)).map { String(cString: $0) }
                ?? "unknown",
            serial: CertificateSummary.serial(of: pointer), isAuthority: X509_check_ca(pointer) > 0)
    }

    private static func key(of certificate: OpaquePointer) -> String {
        guard let key = X509_get0_pubkey(certificate) else { return "unknown" }
        let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
        return "\(name), \(EVP_PKEY_get_bits(key)) bits"
    }

    private static func serial(of certificate: OpaquePointer) -> String {
        guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil) else {
            return ""
        }
        defer { BN_free(number) }
        guard let digits = BN_bn2hex(number) else { return "" }
        defer { CRYPTO_free(digits, #file, #line) }
        return String(cString: digits)
    }
}
