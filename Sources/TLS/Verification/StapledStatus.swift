internal import ProxydCOpenSSL

/// What an issuer says of a certificate in the answer that a server staples to it (RFC 6066 §8,
/// RFC 6960). Nothing is ever fetched: who asks an issuer tells it which servers are visited.
enum StapledStatus: Equatable {
    /// Not revoked when the answer was made, which is not long ago.
    case good
    /// Revoked on a day, `2024-01-01`.
    case revoked(on: String)
    /// Not from the issuer, out of date, about another certificate or no answer at all.
    case unusable

    /// How far the issuer's clock may be ahead of ours or behind it.
    private static let clockToleranceSeconds = 300
    /// How long an answer that does not say when the next one comes is current.
    private static let openEndedSecondsMax = 7 * 86_400

    /// Reads `response`, DER, about `leaf`, which `issuer` signed. `chain` (a stack) and `store`
    /// verify who signed the answer.
    init(
        _ response: UnsafeBufferPointer<UInt8>, leaf: OpaquePointer, issuer: OpaquePointer,
        chain: OpaquePointer, store: OpaquePointer
    ) {
        defer { ErrorQueue.clear() }
        self = .unusable
        guard let answer = Self.answer(in: response) else { return }
        defer { OCSP_BASICRESP_free(answer) }
        guard OCSP_basic_verify(answer, chain, store, 0) == 1 else { return }
        // An answer names the certificate by digests of its issuer; these two are in use.
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

    /// Nil where the answer is not about that certificate. What was revoked stays so, however old
    /// the answer is.
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
