internal import Synchronization
internal import ProxydTLS

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
