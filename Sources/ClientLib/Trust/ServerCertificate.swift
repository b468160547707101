internal import ProxydTLS

/// A certificate as a server sends it or a file contains it.
public struct ServerCertificate: Sendable, Hashable, CustomStringConvertible {
    private let summary: CertificateSummary

    /// Parses DER, or returns nil if it is not exactly one certificate.
    public init?(der: [UInt8]) {
        guard let summary = CertificateSummary(der: der) else { return nil }
        self.init(summary)
    }

    init(_ summary: CertificateSummary) { self.summary = summary }

    /// The certificate as DER.
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

    /// The subject.
    public var description: String { summary.subject }
}
