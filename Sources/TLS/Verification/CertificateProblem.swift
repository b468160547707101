internal import ProxydCOpenSSL

/// Why a server's certificate is rejected.
public struct CertificateProblem: Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem; the names are stable and can be stored.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A certificate of the chain has expired.
        case expired
        case notYetValid
        case nameMismatch
        case selfSigned
        /// The chain does not end at an issuer of the trust store.
        case unknownIssuer
        case revoked
        /// The certificate requires proof that it is not revoked, but the server did not send it
        /// (RFC 7633).
        case statusMissing
        /// The key or signature is too weak.
        case weak
        /// Anything else, such as a bad signature or a certificate that is not for servers.
        case invalid
    }

    public let kind: Kind
    /// OpenSSL's error number (`X509_V_ERR_…`).
    public let code: Int
    /// A one-line message in printable ASCII: `certificate expired on 2024-01-01`.
    public let message: String

    public init(kind: Kind, code: Int, message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    public var description: String { message }

    private static let namesShownMax = 5

    /// The problem found by verification, from its context.
    init(verifying store: OpaquePointer, expected name: PeerName) {
        let code = X509_STORE_CTX_get_error(store)
        let certificate = X509_STORE_CTX_get_current_cert(store)
        let whose = Self.whose(certificate, X509_STORE_CTX_get_error_depth(store))
        let kind = Self.kind(of: code)
        if kind == .unknownIssuer || kind == .invalid,
            let flaw = BrowserRules.flaw(blamedBy: store)
        {
            self = flaw.problem
            return
        }
        let message =
            switch kind {
            case .expired:
                "\(whose) expired on "
                    + CertificateTime.date(certificate.flatMap(X509_get0_notAfter))
            case .notYetValid:
                "\(whose) is not valid before "
                    + CertificateTime.date(certificate.flatMap(X509_get0_notBefore))
            case .nameMismatch: Self.mismatch(X509_STORE_CTX_get0_cert(store), name)
            case .selfSigned: "self-signed certificate"
            case .unknownIssuer: "issuer not trusted: \(Self.untrustedIssuer(certificate))"
            case .revoked, .statusMissing, .weak, .invalid:
                "\(whose) not accepted: "
                    + String(cString: X509_verify_cert_error_string(Int(code)))
            }
        self.init(kind: kind, code: Int(code), message: message)
    }

    /// The description of a certificate in a chain; nil for none in particular.
    static func whose(_ certificate: OpaquePointer?, _ depth: Int32) -> String {
        guard let certificate else { return "chain of certificates" }
        guard depth > 0 else { return "certificate" }
        return "issuer's certificate "
            + "(\(DistinguishedName.text(X509_get_subject_name(certificate))))"
    }

    private static func kind(of code: Int32) -> Kind {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .nameMismatch
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            .unknownIssuer
        case X509_V_ERR_CERT_REVOKED: .revoked
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            .weak
        default: .invalid
        }
    }

    private static func mismatch(_ leaf: OpaquePointer?, _ expected: PeerName) -> String {
        let all = leaf.map(CertificateChain.names(of:)) ?? []
        if case .address = expected, all.contains(.dns(expected.description)) {
            return "certificate has \(expected) as a DNS name, not as an address"
        }
        let names = all.compactMap(\.text)
        let shown = names.prefix(namesShownMax).joined(separator: ", ")
        let more = names.count > namesShownMax ? " and \(names.count - namesShownMax) more" : ""
        let owner = names.isEmpty ? "no host name" : shown + more
        return "certificate is for \(owner), not \(expected)"
    }

    private static func untrustedIssuer(_ certificate: OpaquePointer?) -> String {
        let name = DistinguishedName.text(certificate.flatMap { X509_get_issuer_name($0) })
        return name.isEmpty ? "an issuer without a name" : name
    }
}
