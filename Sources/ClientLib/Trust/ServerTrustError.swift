/// Why a server is not trusted by the session's own rules.
public enum ServerTrustError: Error, Sendable, CustomStringConvertible {
    /// All hosts must be evaluated, and this one has no evaluator.
    case noRequiredEvaluator(host: String)
    /// Certificates were to be pinned, and none were given.
    case noCertificatesFound
    /// Public keys were to be pinned, and none were given.
    case noPublicKeysFound
    /// The host's evaluator pins certificates or keys, which a plain connection has none of.
    case notSecure(host: String)
    /// The trusted authorities cannot be read.
    case authoritiesUnavailable(message: String)
    /// The chain does not stand verification.
    case defaultEvaluationFailed(CertificateRefusal)
    /// The certificate is for other hosts.
    case hostValidationFailed(CertificateRefusal)
    /// The certificate was revoked, or that could not be found out.
    case revocationCheckFailed(CertificateRefusal)
    /// None of the pinned certificates is in the chain.
    case certificatePinningFailed(host: String, certificates: [ServerCertificate])
    /// None of the pinned keys is in the chain.
    case publicKeyPinningFailed(host: String, certificates: [ServerCertificate])
    /// An evaluator of the program's own threw.
    case customEvaluationFailed(any Error)

    /// Which certificate was refused, and why, where it was one.
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

    /// One line for a person.
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

    /// Whose fault it is.
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
    /// A server that is not trusted.
    init(_ error: ServerTrustError) {
        self.init(
            .serverTrustEvaluationFailed, fault: error.fault,
            message: "the server is not trusted: \(error)", underlying: error)
    }
}
