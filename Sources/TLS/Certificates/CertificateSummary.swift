/// The main facts about a certificate, for display.
public struct CertificateSummary: Sendable, Hashable {
    /// The DER of the certificate itself.
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

    /// The certificate as PEM text.
    public var pem: [UInt8] { Certificate(der: der)?.pem ?? [] }
}
