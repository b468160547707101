/// What a person wants to know of a certificate.
public struct CertificateSummary: Sendable, Hashable {
    /// The certificate itself.
    public let der: [UInt8]
    /// Whom it is about, most specific part first: `CN=example.org,O=Example`.
    public let subject: String
    /// Who signed it.
    public let issuer: String
    /// The DNS names and addresses it is for.
    public let alternativeNames: [String]
    /// Start of validity, seconds since 1970.
    public let notBefore: Int
    /// End of validity, seconds since 1970.
    public let notAfter: Int
    /// SHA-256 of the DER.
    public let fingerprint: [UInt8]

    /// Reads DER; nil where `der` is not one whole certificate.
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

    /// The certificate as PEM text.
    public var pem: [UInt8] { Certificate(der: der)?.pem ?? [] }
}
