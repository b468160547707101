/// Why the session's own rules do not trust a server.
public enum ServerTrustError: Error, Sendable, CustomStringConvertible {
    /// All hosts must be evaluated, but this one has no evaluator.
    case noRequiredEvaluator(host: String)
    /// Certificates were to be pinned, but none were given.
    case noCertificatesFound
    /// Public keys were to be pinned, but none were given.
    case noPublicKeysFound
    /// The host's evaluator pins certificates or keys, but a plain connection has none.
    case notSecure(host: String)
    /// The trusted authorities cannot be read.
    case authoritiesUnavailable(message: String)
    /// The chain failed verification.
    case defaultEvaluationFailed(CertificateRefusal)
    /// The certificate is for other hosts.
    case hostValidationFailed(CertificateRefusal)
    /// The certificate is revoked, or its status could not be determined.
    case revocationCheckFailed(CertificateRefusal)
    /// None of the pinned certificates is in the chain.
    case certificatePinningFailed(host: String, certificates: [ServerCertificate])
    /// None of the pinned keys is in the chain.
    case publicKeyPinningFailed(host: String, certificates: [ServerCertificate])
    /// The program's own evaluator threw an error.
    case customEvaluationFailed(any Error)

    /// The certificate that was refused, and why, if the error is about one.
    public var refusal: CertificateRefusal? {
        switch self {
        case .defaultEvaluationFailed(let refusal), .hostValidationFailed(let refusal),
            .revocationCheckFailed(let refusal):
            refusal
        case .noRequiredEvaluator, .noCertificatesFound, .noPublicKeysFound, .notSecure,
            .authoritiesUnavailable, .certificatePinningFailed, .publicKeyPinningFailed,
            .customEvaluationFailed:
            nil
        }
    }

    /// One readable line.
    public var description: String {
        switch self {
        case .noRequiredEvaluator(let host): "there is no evaluator for \(host)"
        case .noCertificatesFound: "no certificates to pin were given"
        case .noPublicKeysFound: "no public keys to pin were given"
        case .notSecure(let host): "\(host) is pinned: it needs an https URL"
        case .authoritiesUnavailable(let message): message
        case .defaultEvaluationFailed(let refusal), .hostValidationFailed(let refusal):
            refusal.description
        case .revocationCheckFailed(let refusal): "revocation: \(refusal)"
        case .certificatePinningFailed(let host, let certificates):
            "no pinned certificate in the chain of \(host): \(Self.names(certificates))"
        case .publicKeyPinningFailed(let host, let certificates):
            "no pinned public key in the chain of \(host): \(Self.names(certificates))"
        case .customEvaluationFailed(let error): "\(error)"
        }
    }

    /// The party that caused the error.
    var fault: ClientError.Fault {
        switch self {
        case .noRequiredEvaluator, .noCertificatesFound, .noPublicKeysFound, .notSecure: .caller
        case .authoritiesUnavailable: .library
        case .defaultEvaluationFailed, .hostValidationFailed, .revocationCheckFailed,
            .certificatePinningFailed, .publicKeyPinningFailed, .customEvaluationFailed:
            .server
        }
    }

    private static func names(_ certificates: [ServerCertificate]) -> String {
        certificates.map(\.subject).joined(separator: "; ")
    }
}

extension ClientError {
    /// The error of a request to a server that is not trusted.
    init(_ error: ServerTrustError) {
        self.init(
            .serverTrustEvaluationFailed, fault: error.fault,
            message: "the server is not trusted: \(error)", underlying: error)
    }
}
