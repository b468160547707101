/// A server's request for a client certificate (RFC 8446 §4.3.2).
public struct CertificateRequest: Sendable, Hashable {
    /// More authorities than anyone reads.
    static let authorityCountMax = 32

    /// The authorities that the server accepts, as it names them, at most 32; empty if it names
    /// none, which means any.
    public let authorities: [String]
    /// Whether a certificate was shown.
    public let isAnswered: Bool

    /// Creates a description of a request.
    public init(authorities: [String], isAnswered: Bool) {
        self.authorities = authorities
        self.isAnswered = isAnswered
    }

    /// What went wrong if the server ended the session with an alert because of it; nil if the
    /// alert has another reason.
    func problem(_ alert: TLSAlert) -> String? {
        let isAboutCertificate =
            alert.saysIssuerIsNotTrusted || alert.saysCertificateIsRefused
            || [40, 41, 49, 116].contains(alert.code)
        guard isAboutCertificate else { return nil }
        let from =
            authorities.isEmpty
            ? "of any authority" : "of \(authorities.joined(separator: " or "))"
        return isAnswered
            ? "the server does not accept the client certificate; it asks for one \(from) "
                + "(alert \(alert.name))"
            : "the server asks for a client certificate \(from), and none is configured for it "
                + "(alert \(alert.name))"
    }
}
