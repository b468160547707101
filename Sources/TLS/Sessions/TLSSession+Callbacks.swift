internal import ProxydCOpenSSL

/// What `Callbacks.swift` tells a session.
extension TLSSession {
    /// A server's response to a client's ALPN list.
    enum ProtocolChoice {
        case notWanted
        case noneInCommon
        case at(Range<Int>)
    }

    func noteAlert(_ alert: TLSAlert, isFatal: Bool, isReceived: Bool) {
        guard isFatal else { return }
        if isReceived { alertReceived = alert } else { alertSent = alert }
    }

    func chooseProtocol(from offered: UnsafeBufferPointer<UInt8>) -> ProtocolChoice {
        guard case .server(_, let wanted) = role, !wanted.isEmpty else { return .notWanted }
        for name in wanted {
            var start = 0
            while start < offered.count {
                let end = start + 1 + Int(offered[start])
                guard end <= offered.count else { break }
                if offered[(start + 1)..<end].elementsEqual(name) { return .at(start + 1..<end) }
                start = end
            }
        }
        return .noneInCommon
    }

    /// Verifies the server's chain, and stores it with the problem if there is one.
    func acceptsPeer(_ store: OpaquePointer) -> Bool {
        guard case .client(let client) = role else { return false }
        certificateProblem = nil
        if let verifier = client.context.verifier { return accepts(store, client, verifier) }
        if X509_verify_cert(store) == 1 {
            let chain = X509_STORE_CTX_get0_chain(store)
            guard let failure = BrowserRules.failure(in: chain) else { return true }
            return tolerates(failure.problem, store, client)
        }
        let name = PeerName(client.policy.verifyName)
        return tolerates(CertificateProblem(verifying: store, expected: name), store, client)
    }

    /// Stores the problem and returns whether the session continues. OpenSSL derives the alert from
    /// the problem's number.
    private func tolerates(
        _ problem: CertificateProblem, _ store: OpaquePointer, _ client: ClientRole
    ) -> Bool {
        certificateProblem = problem
        unverifiedChain = CertificateChain.der(ofStack: X509_STORE_CTX_get0_untrusted(store))
        X509_STORE_CTX_set_error(
            store, Int32(exactly: problem.code) ?? X509_V_ERR_APPLICATION_VERIFICATION)
        return client.policy.verification == .disabled
    }

    private func accepts(
        _ store: OpaquePointer, _ client: ClientRole, _ verifier: any ServerVerifying
    ) -> Bool {
        let shown = CertificateChain.der(ofStack: X509_STORE_CTX_get0_untrusted(store))
        let name = PeerName(client.policy.verifyName).description
        guard
            let problem = verifier.problem(with: PresentedChain(name: name, certificates: shown))
        else { return true }
        return tolerates(problem, store, client)
    }

    /// The server asks for a certificate.
    func noteCertificateRequest() {
        guard case .client(let client) = role else { return }
        let count = min(
            Int(copenssl_peer_authority_count(ssl)), CertificateRequest.authorityCountMax)
        certificateRequest = CertificateRequest(
            authorities: (0..<max(0, count)).map { index in
                DistinguishedName.text(copenssl_peer_authority_at(ssl, Int32(index)))
            },
            isAnswered: client.policy.identity != nil || client.context.hasIdentity)
    }

    func keep(_ session: ResumableSession) {
        guard case .client(let client) = role else { return }
        client.context.resumption.put(
            .init(session: session, problem: certificateProblem), for: client.resumption)
    }
}
