internal import ProxydTLS
internal import Synchronization

/// Lets an evaluator check servers during TLS handshakes, and keeps its error for the error report.
final class ServerTrustVerifier: ServerVerifying {
    private let evaluator: any ServerTrustEvaluating
    private let authorities: AuthorityStore
    private let refusal = Mutex<ServerTrustError?>(nil)

    /// The TLS library's code for a valid certificate that the application rejects.
    static let rejectedCode = 28

    init(_ evaluator: any ServerTrustEvaluating, authorities: AuthorityStore) {
        self.evaluator = evaluator
        self.authorities = authorities
    }

    func problem(with chain: PresentedChain) -> CertificateProblem? {
        let trust = ServerTrust(presented: chain.certificates, authorities: authorities)
        do {
            try evaluator.evaluate(trust, forHost: chain.name)
            return nil
        } catch {
            let error = error as? ServerTrustError ?? .customEvaluationFailed(error)
            refusal.withLock { $0 = error }
            return CertificateProblem(
                kind: error.refusal?.reason.kind ?? .invalid,
                code: error.refusal?.code ?? ServerTrustVerifier.rejectedCode,
                message: error.description)
        }
    }

    /// Returns and clears the error of the last refused handshake; called once, right after it.
    func takeRefusal() -> ServerTrustError? {
        refusal.withLock { refusal in
            defer { refusal = nil }
            return refusal
        }
    }
}

/// The authorities that a session trusts to identify servers.
public enum TrustedAuthorities: Sendable, Hashable {
    /// The system's authorities (`SSL_CERT_FILE` and `SSL_CERT_DIR` if set), plus those in PEM
    /// files.
    case system(adding: [String] = [])
    case files([String])

    func source(adding path: String?) -> TrustSource {
        let more = path.map { [$0] } ?? []
        return switch self {
        case .system(let files): .system(extraFiles: files + more)
        case .files(let files): .files(files + more)
        }
    }
}

/// The authorities that a session trusts. They are loaded when first needed, which takes
/// milliseconds that sessions without TLS connections save.
final class AuthorityStore: Sendable {
    let source: TrustSource
    private let loaded = Mutex<Result<TrustStore, ServerTrustError>?>(nil)

    init(_ source: TrustSource) { self.source = source }

    /// The loaded authorities; loads them on the first call.
    func store() throws(ServerTrustError) -> TrustStore {
        try loaded.withLock { loaded -> Result<TrustStore, ServerTrustError> in
            if let loaded { return loaded }
            let result = Result { () throws(TLSError) in try TrustStore(source) }
                .mapError { ServerTrustError.authoritiesUnavailable(message: $0.message) }
            loaded = result
            return result
        }.get()
    }
}

/// The certificate that failed verification, and why.
public struct CertificateRefusal: Sendable, Hashable, CustomStringConvertible {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case expired
        case notYetValid
        case wrongHost
        case selfSigned
        /// The chain does not end at a trusted issuer.
        case untrustedIssuer
        case revoked
        /// The certificate requires a stapled status (must-staple), which the server did not send.
        case statusMissing
        /// The key or the signature is too weak.
        case weak
        /// Any other reason, such as a bad signature, a certificate that is not for servers, or no
        /// current revocation list.
        case invalid
    }

    public let reason: Reason
    /// The certificate, or nil if none could be parsed.
    public let certificate: ServerCertificate?
    /// The position in the chain: 0 for the server's own certificate, 1 for its issuer's, and so
    /// on.
    public let depth: Int
    /// One readable line, such as `certificate expired on 2024-01-01`.
    public let message: String
    /// The error code of the TLS library.
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

    /// The message, followed by the certificate's subject.
    public var description: String {
        certificate.map { "\(message) (\($0.subject))" } ?? message
    }
}

extension CertificateRefusal.Reason {
    private static let kinds: [(reason: Self, kind: CertificateProblem.Kind)] = [
        (.expired, .expired), (.notYetValid, .notYetValid), (.wrongHost, .nameMismatch),
        (.selfSigned, .selfSigned), (.untrustedIssuer, .unknownIssuer), (.revoked, .revoked),
        (.statusMissing, .statusMissing), (.weak, .weak), (.invalid, .invalid),
    ]

    init(_ kind: CertificateProblem.Kind) {
        self = Self.kinds.first { $0.kind == kind }?.reason ?? .invalid
    }

    var kind: CertificateProblem.Kind { Self.kinds.first { $0.reason == self }?.kind ?? .invalid }
}
