internal import ProxydTLS

/// Which certificate does not stand verification, and why.
public struct CertificateRefusal: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It has expired.
        case expired
        /// It is not valid yet.
        case notYetValid
        /// It is for other hosts.
        case wrongHost
        /// The server signed its certificate itself.
        case selfSigned
        /// The chain does not end at a trusted issuer.
        case untrustedIssuer
        /// Its issuer revoked it.
        case revoked
        /// It demands that the server proves it is not revoked, and the server did not.
        case statusMissing
        /// Key or signature are too weak.
        case weak
        /// Anything else, such as a bad signature, a certificate that is not for servers, or no
        /// revocation list in force.
        case invalid
    }

    /// What is wrong with it.
    public let reason: Reason
    /// The certificate; nil where none could be read.
    public let certificate: ServerCertificate?
    /// Its place in the chain: 0 for the server's own, 1 for its issuer's, and so on.
    public let depth: Int
    /// One line for a person: `certificate expired on 2024-01-01`.
    public let message: String
    /// What the TLS library calls it.
    let code: Int

    init(_ failure: VerificationFailure) {
        reason = Reason(failure.problem.kind)
        certificate = failure.certificate.map { ServerCertificate($0) }
        depth = failure.depth
        message = failure.problem.message
        code = failure.problem.code
    }

    init(_ reason: Reason, _ certificate: ServerCertificate?, message: String) {
        self.reason = reason
        self.certificate = certificate
        self.message = message
        depth = 0
        code = ServerTrustVerifier.rejectedCode
    }

    /// The message, and whose certificate it is.
    public var description: String {
        certificate.map { "\(message) (\($0.subject))" } ?? message
    }
}

extension CertificateRefusal.Reason {
    init(_ kind: CertificateProblem.Kind) {
        self =
            switch kind {
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .nameMismatch: .wrongHost
            case .selfSigned: .selfSigned
            case .unknownIssuer: .untrustedIssuer
            case .revoked: .revoked
            case .statusMissing: .statusMissing
            case .weak: .weak
            case .invalid: .invalid
            }
    }

    var kind: CertificateProblem.Kind {
        switch self {
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .wrongHost: .nameMismatch
        case .selfSigned: .selfSigned
        case .untrustedIssuer: .unknownIssuer
        case .revoked: .revoked
        case .statusMissing: .statusMissing
        case .weak: .weak
        case .invalid: .invalid
        }
    }
}
