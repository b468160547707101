internal import ProxydCOpenSSL

extension TrustStore {
    /// The requirements for a chain, in addition to a trusted issuer.
    public struct Rules: Sendable {
        /// The DNS name or address that the certificate must be for; nil for any.
        public var name: String?
        /// The revocation lists to check; nil for none. If set, the issuer of the server's
        /// certificate must have a current list.
        public var revocationLists: RevocationLists?
        /// Whether every issuer also needs a list.
        public var checksIssuersForRevocation = false
        /// The time of verification, in seconds since 1970; nil for now, as in a session.
        var time: Int?

        /// Creates rules; by default any name is accepted and revocation is not checked.
        public init(name: String? = nil, revocationLists: RevocationLists? = nil) {
            self.name = name
            self.revocationLists = revocationLists
        }
    }

    /// Verifies a server's chain of DER certificates: the server's own first, then issuers in any
    /// order. Returns the verified chain, from the server's certificate to the trusted one.
    public func verify(
        _ certificates: [[UInt8]], rules: Rules
    ) throws(VerificationFailure) -> [[UInt8]] {
        let chain = certificates.compactMap(Certificate.init(der:))
        guard let leaf = chain.first, chain.count == certificates.count else {
            throw .unreadable
        }
        guard let context = X509_STORE_CTX_new(), let issuers = copenssl_x509_stack_new() else {
            throw .outOfMemory
        }
        // The stack borrows the certificates, which outlive it here.
        defer {
            X509_STORE_CTX_free(context)
            copenssl_x509_stack_free(issuers)
            ErrorQueue.clear()
            withExtendedLifetime((chain, rules)) {}
        }
        for issuer in chain.dropFirst() where copenssl_x509_push(issuers, issuer.pointer) <= 0 {
            throw .outOfMemory
        }
        guard X509_STORE_CTX_init(context, pointer, leaf.pointer, issuers) == 1 else {
            throw .outOfMemory
        }
        let name = rules.name.map(PeerName.init)
        try prepare(context, name, rules)
        guard X509_verify_cert(context) == 1 else {
            throw VerificationFailure(in: context, expected: name ?? .dns(""))
        }
        let found = X509_STORE_CTX_get0_chain(context)
        if let failure = BrowserRules.failure(in: found) { throw failure }
        return CertificateChain.der(ofStack: found)
    }

    private func prepare(
        _ context: OpaquePointer, _ name: PeerName?, _ rules: Rules
    ) throws(VerificationFailure) {
        guard X509_STORE_CTX_set_default(context, "ssl_server") == 1,
            let parameters = X509_STORE_CTX_get0_param(context)
        else { throw .outOfMemory }
        X509_VERIFY_PARAM_set_auth_level(parameters, ContextDefaults.securityLevel)
        if let name, !name.demand(of: parameters) { throw .noName }
        if let time = rules.time { X509_VERIFY_PARAM_set_time(parameters, time) }
        guard let lists = rules.revocationLists else { return }
        X509_STORE_CTX_set0_crls(context, lists.pointer)
        var flags = X509_V_FLAG_CRL_CHECK
        if rules.checksIssuersForRevocation { flags |= X509_V_FLAG_CRL_CHECK_ALL }
        X509_VERIFY_PARAM_set_flags(parameters, UInt(flags))
    }
}

extension VerificationFailure {
    fileprivate static let unreadable = plain("no certificates, or unreadable ones")
    fileprivate static let noName = plain("no name to verify the server by")
    fileprivate static let outOfMemory = plain("out of memory")

    private static func plain(_ message: String) -> VerificationFailure {
        VerificationFailure(
            problem: .init(kind: .invalid, code: Int(X509_V_ERR_UNSPECIFIED), message: message),
            certificate: nil, depth: 0)
    }

    fileprivate init(in context: OpaquePointer, expected name: PeerName) {
        let blamed = X509_STORE_CTX_get_current_cert(context) ?? X509_STORE_CTX_get0_cert(context)
        self.init(
            problem: CertificateProblem(verifying: context, expected: name),
            certificate: blamed.flatMap { CertificateSummary(der: CertificateChain.der(of: $0)) },
            depth: Int(max(0, X509_STORE_CTX_get_error_depth(context))))
    }
}
