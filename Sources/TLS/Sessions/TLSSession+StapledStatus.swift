internal import ProxydCOpenSSL

/// What a client makes of the stapled answer about the server's certificate.
///
/// A certificate that was revoked is refused, and so is one that demands an answer and comes
/// without a good one. Any other certificate does not need one: most servers staple none.
extension TLSSession {
    /// The TLS feature that a certificate demands with "must staple" (RFC 7633 §4.2.3.1).
    private static let statusRequestFeature = 5

    /// Called once the chain was verified; not for a session that is resumed. False ends the
    /// handshake.
    func acceptsStapledStatus() -> Bool {
        guard case .client(let client) = role, client.context.verifier == nil,
            certificateProblem == nil, let problem = stapledProblem()
        else { return true }
        certificateProblem = problem
        unverifiedChain = CertificateChain.der(ofStack: SSL_get_peer_cert_chain(ssl))
        return client.policy.verification == .disabled
    }

    private func stapledProblem() -> CertificateProblem? {
        guard let chain = SSL_get0_verified_chain(ssl), let leaf = copenssl_x509_at(chain, 0)
        else { return nil }
        switch stapledStatus(of: leaf, chain) {
        case .good: return nil
        case .revoked(let date):
            return CertificateProblem(
                kind: .revoked, code: Int(X509_V_ERR_CERT_REVOKED),
                message: "certificate was revoked on \(date), says its issuer")
        case .unusable, nil:
            guard Self.demandsStatus(leaf) else { return nil }
            return CertificateProblem(
                kind: .statusMissing, code: Int(X509_V_ERR_OCSP_VERIFY_NEEDED),
                message: "certificate requires a stapled OCSP response (must-staple),"
                    + " and the server sent no valid one")
        }
    }

    private func stapledStatus(of leaf: OpaquePointer, _ chain: OpaquePointer) -> StapledStatus? {
        var bytes: UnsafePointer<UInt8>?
        let count = copenssl_stapled_status(ssl, &bytes)
        guard count > 0, let bytes else { return nil }
        // A certificate that is trusted itself, without an issuer, has no one to revoke it.
        guard let issuer = copenssl_x509_at(chain, 1),
            let store = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl))
        else { return .unusable }
        return StapledStatus(
            UnsafeBufferPointer(start: bytes, count: count), leaf: leaf, issuer: issuer,
            chain: chain, store: store)
    }

    private static func demandsStatus(_ leaf: OpaquePointer) -> Bool {
        defer { ErrorQueue.clear() }
        guard let extensionValue = X509_get_ext_d2i(leaf, NID_tlsfeature, nil, nil) else {
            return false
        }
        let features = OpaquePointer(extensionValue)
        defer { TLS_FEATURE_free(features) }
        return (0..<max(0, copenssl_integer_count(features))).contains { index in
            ASN1_INTEGER_get(copenssl_integer_at(features, index)) == statusRequestFeature
        }
    }
}
