internal import ProxydCOpenSSL

/// The revocation status in a stapled OCSP response (RFC 6066 §8, RFC 6960). Nothing is ever
/// fetched: a query would tell the issuer which servers are visited.
enum StapledStatus: Equatable {
    /// Not revoked, according to a current response.
    case good
    /// Revoked on a date, such as `2024-01-01`.
    case revoked(on: String)
    /// Not from the issuer, expired, about another certificate, or not a valid response.
    case unusable

    /// The tolerated difference between the issuer's clock and the local one.
    private static let clockToleranceSeconds = 300
    /// How long a response without a time for the next update is valid.
    private static let openEndedSecondsMax = 7 * 86_400

    /// Parses the DER `response` about `leaf`, which `issuer` signed. `chain` (a stack) and `store`
    /// are used to verify the signer of the response.
    init(
        _ response: UnsafeBufferPointer<UInt8>, leaf: OpaquePointer, issuer: OpaquePointer,
        chain: OpaquePointer, store: OpaquePointer
    ) {
        defer { ErrorQueue.clear() }
        self = .unusable
        guard let answer = Self.answer(in: response) else { return }
        defer { OCSP_BASICRESP_free(answer) }
        guard OCSP_basic_verify(answer, chain, store, 0) == 1 else { return }
        // A response identifies the certificate by digests of its issuer; these two are in use.
        for digest in [EVP_sha1(), EVP_sha256()] {
            guard let identifier = OCSP_cert_to_id(digest, leaf, issuer) else { continue }
            defer { OCSP_CERTID_free(identifier) }
            if let status = Self.status(of: identifier, in: answer) { self = status }
        }
    }

    private static func answer(in response: UnsafeBufferPointer<UInt8>) -> OpaquePointer? {
        var position = response.baseAddress
        guard let envelope = d2i_OCSP_RESPONSE(nil, &position, response.count) else { return nil }
        defer { OCSP_RESPONSE_free(envelope) }
        guard OCSP_response_status(envelope) == OCSP_RESPONSE_STATUS_SUCCESSFUL else { return nil }
        return OCSP_response_get1_basic(envelope)
    }

    /// nil if the response is not about the certificate. A revocation is valid however old the
    /// response is.
    private static func status(
        of identifier: OpaquePointer, in answer: OpaquePointer
    ) -> StapledStatus? {
        var status: Int32 = 0
        var reason: Int32 = 0
        var revokedAt: UnsafeMutablePointer<ASN1_TIME>?
        var updatedAt: UnsafeMutablePointer<ASN1_TIME>?
        var nextUpdateAt: UnsafeMutablePointer<ASN1_TIME>?
        guard
            OCSP_resp_find_status(
                answer, identifier, &status, &reason, &revokedAt, &updatedAt, &nextUpdateAt) == 1
        else { return nil }
        if status == V_OCSP_CERTSTATUS_REVOKED {
            return .revoked(on: CertificateTime.date(revokedAt))
        }
        let ageMax = nextUpdateAt == nil ? openEndedSecondsMax : -1
        let isCurrent =
            OCSP_check_validity(updatedAt, nextUpdateAt, clockToleranceSeconds, ageMax) == 1
        return status == V_OCSP_CERTSTATUS_GOOD && isCurrent ? .good : .unusable
    }
}

/// Evaluates the stapled response about the server's certificate.
///
/// A revoked certificate is refused, and so is one that requires a response but comes without a
/// good one. Any other certificate does not need one: most servers staple none.
extension TLSSession {
    /// The TLS feature that a certificate demands with "must staple" (RFC 7633 §4.2.3.1).
    private static let statusRequestFeature = 5

    /// Called after the chain was verified, but not for resumed sessions. False ends the handshake.
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
