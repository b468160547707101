internal import ProxydCOpenSSL

/// The requirements of browsers beyond those of OpenSSL. `docs/THREATS.md` lists the remaining
/// differences.
enum BrowserRules {
    /// The problem with a chain (a `STACK_OF(X509)`, server certificate first) that OpenSSL has
    /// accepted; nil if there is none.
    static func failure(in chain: OpaquePointer?) -> VerificationFailure? {
        guard let chain else { return nil }
        let count = max(0, copenssl_x509_count(chain))
        for depth in 0..<count {
            guard let certificate = copenssl_x509_at(chain, depth) else { continue }
            if let flaw = ExtensionFlaw(in: certificate) {
                return failure(certificate, depth, flaw)
            }
        }
        return wildcardFailure(chain, count)
    }

    /// Why OpenSSL rejected a chain, if the cause is an invalid certificate: OpenSSL then reports a
    /// missing issuer or an unsuitable purpose.
    static func flaw(blamedBy store: OpaquePointer) -> VerificationFailure? {
        let blamed = X509_STORE_CTX_get_current_cert(store) ?? X509_STORE_CTX_get0_cert(store)
        guard let blamed else { return nil }
        let depth = max(0, X509_STORE_CTX_get_error_depth(store))
        if let flaw = ExtensionFlaw(in: blamed) { return failure(blamed, depth, flaw) }
        guard let sent = X509_STORE_CTX_get0_untrusted(store),
            let issuer = X509_get_issuer_name(blamed)
        else { return nil }
        for index in 0..<max(0, copenssl_x509_count(sent)) {
            guard let certificate = copenssl_x509_at(sent, index),
                X509_NAME_cmp(X509_get_subject_name(certificate), issuer) == 0,
                let flaw = ExtensionFlaw(in: certificate)
            else { continue }
            return failure(certificate, depth + 1, flaw)
        }
        return nil
    }

    private static func failure(
        _ certificate: OpaquePointer, _ depth: Int32, _ flaw: ExtensionFlaw
    ) -> VerificationFailure {
        VerificationFailure(
            of: certificate, depth, X509_V_ERR_INVALID_EXTENSION, "it has \(flaw.words)")
    }

    private static func wildcardFailure(
        _ chain: OpaquePointer, _ count: Int32
    ) -> VerificationFailure? {
        guard let leaf = copenssl_x509_at(chain, 0) else { return nil }
        let wildcards = CertificateChain.names(of: leaf).compactMap(\.dnsName)
            .filter { $0.hasPrefix("*.") }
        guard !wildcards.isEmpty else { return nil }
        for depth in 1..<max(1, count) {
            guard let issuer = copenssl_x509_at(chain, depth),
                let constraints = NameConstraints(of: issuer)
            else { continue }
            for wildcard in wildcards {
                guard let name = constraints.excludedName(coveredBy: wildcard) else { continue }
                return VerificationFailure(
                    of: leaf, 0, X509_V_ERR_EXCLUDED_VIOLATION,
                    "it is for \(wildcard), and an issuer may not sign for \(name)")
            }
        }
        return nil
    }
}

extension VerificationFailure {
    fileprivate init(
        of certificate: OpaquePointer, _ depth: Int32, _ code: Int32, _ reason: String
    ) {
        let whose = CertificateProblem.whose(certificate, depth)
        self.init(
            problem: .init(
                kind: .invalid, code: Int(code), message: "\(whose) not accepted: \(reason)"),
            certificate: CertificateSummary(der: CertificateChain.der(of: certificate)),
            depth: Int(depth))
    }
}
