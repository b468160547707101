internal import Synchronization
internal import ProxydTLS

/// Lets an evaluator judge servers in handshakes, and keeps its error for who tells of the failure.
final class ServerTrustVerifier: ServerVerifying {
    private let evaluator: any ServerTrustEvaluating
    private let authorities: AuthorityStore
    private let refusal = Mutex<ServerTrustError?>(nil)

    /// What the TLS library says of a certificate that is good and not wanted.
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

    /// The error of the last handshake that was refused; asked once, right after it.
    func takeRefusal() -> ServerTrustError? {
        refusal.withLock { refusal in
            defer { refusal = nil }
            return refusal
        }
    }
}
