internal import ProxydTLS

/// A certificate, as a server shows it or as a file has it.
public struct ServerCertificate: Sendable, Hashable, CustomStringConvertible {
    private let summary: CertificateSummary

    /// Reads DER; nil where it is not one whole certificate.
    public init?(der: [UInt8]) {
        guard let summary = CertificateSummary(der: der) else { return nil }
        self.init(summary)
    }

    init(_ summary: CertificateSummary) { self.summary = summary }

    /// The certificate itself.
    public var der: [UInt8] { summary.der }
    /// Whom it is about: `CN=example.org,O=Example`.
    public var subject: String { summary.subject }
    /// Who signed it.
    public var issuer: String { summary.issuer }
    /// The DNS names and addresses it is for.
    public var alternativeNames: [String] { summary.alternativeNames }
    /// Start of validity, seconds since 1970.
    public var notBefore: Int { summary.notBefore }
    /// End of validity, seconds since 1970.
    public var notAfter: Int { summary.notAfter }
    /// SHA-256 of the DER.
    public var fingerprint: [UInt8] { summary.fingerprint }
    /// What pins its public key; nil where the key cannot be read.
    public var publicKeyPin: PublicKeyPin? { PublicKeyPin(sha256: summary.publicKeyDigest ?? []) }

    /// Whether it is for a DNS name or an address. The subject's common name does not count.
    public func isFor(host: String) -> Bool { summary.isFor(host) }

    /// The subject.
    public var description: String { summary.subject }
}
