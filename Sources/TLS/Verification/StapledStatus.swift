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
