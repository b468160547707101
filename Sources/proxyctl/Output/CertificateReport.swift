internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ProxydTLS

/// The certificates that a server sent.
enum CertificateReport {
    /// The facts of a certificate, or nil if the bytes are not one.
    static func facts(_ der: [UInt8]) -> CertificateFacts? {
        guard let summary = CertificateSummary(der: der), let details = summary.details else {
            return nil
        }
        return CertificateFacts(
            subject: summary.subject, issuer: summary.issuer, names: summary.alternativeNames,
            notBefore: Int64(summary.notBefore), notAfter: Int64(summary.notAfter),
            key: details.key, signature: details.signature, serial: details.serial,
            fingerprint: summary.fingerprintText, isAuthority: details.isAuthority)
    }

    /// The facts of the certificate chain of an exchange.
    static func chain(of exchange: Exchange) -> [CertificateFacts] {
        exchange.server?.security?.peerCertificates.compactMap(facts) ?? []
    }
}
