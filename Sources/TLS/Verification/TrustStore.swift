internal import ProxydCOpenSSL
internal import Glibc

/// Trusted issuers for verifying chains outside of a session.
///
/// `@unchecked Sendable`: the `X509_STORE` is filled in `init` and only used for lookups
/// afterwards, which OpenSSL does under the store's lock.
public final class TrustStore: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Loads a source. Throws an error that names a file if it is unreadable.
    public convenience init(_ source: TrustSource) throws(TLSError) {
        try self.init()
        try source.load(into: pointer)
    }

    /// Trusts each of these DER certificates directly, including those that are not issuers.
    public convenience init(certificates: [[UInt8]]) throws(TLSError) {
        try self.init()
        for der in certificates {
            ErrorQueue.clear()
            guard let certificate = Certificate(der: der),
                X509_STORE_add_cert(pointer, certificate.pointer) == 1
            else { throw ErrorQueue.configurationError("cannot trust this certificate") }
        }
    }

    private init() throws(TLSError) {
        ErrorQueue.clear()
        guard let store = X509_STORE_new() else {
            throw ErrorQueue.configurationError("cannot make a trust store")
        }
        pointer = store
        // As in curl, an intermediate in the store is trusted by itself. As in browsers, an issuer
        // may require policies (RFC 5280 §4.2.1.11).
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_POLICY_CHECK))
        // Any policy is accepted.
        X509_VERIFY_PARAM_add0_policy(X509_STORE_get0_param(store), OBJ_nid2obj(NID_any_policy))
    }

    deinit { X509_STORE_free(pointer) }

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
        guard let leaf = chain.first, chain.count == certificates.count else { throw .unreadable }
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

/// The source of trusted root certificates.
public enum TrustSource: Sendable, Hashable {
    /// The system's store (`SSL_CERT_FILE` and `SSL_CERT_DIR` if set, otherwise the distribution's
    /// paths) and the PEM files added by configuration.
    case system(extraFiles: [String])
    /// These PEM files only.
    case files([String])

    func load(into store: OpaquePointer?) throws(TLSError) {
        switch self {
        case .system(let extraFiles):
            try Self.checkEnvironment()
            guard X509_STORE_set_default_paths(store) == 1 else {
                throw ErrorQueue.configurationError("cannot open the system's trust store")
            }
            try Self.load(extraFiles, into: store)
        case .files(let files): try Self.load(files, into: store)
        }
    }

    /// OpenSSL ignores a file that it cannot read, and every server would then be rejected with a
    /// misleading reason.
    private static func checkEnvironment() throws(TLSError) {
        guard let name = getenv("SSL_CERT_FILE"), name.pointee != 0, access(name, R_OK) != 0
        else { return }
        throw TLSError(
            kind: .configuration,
            message: "SSL_CERT_FILE names \(String(cString: name)), which cannot be read")
    }

    private static func load(_ files: [String], into store: OpaquePointer?) throws(TLSError) {
        for file in files {
            ErrorQueue.clear()
            guard X509_STORE_load_file(store, file) == 1 else {
                throw ErrorQueue.configurationError("cannot read certificates from \(file)")
            }
        }
    }
}

/// Verifies servers in place of a context's trust store.
public protocol ServerVerifying: Sendable {
    /// The problem with a server, or nil to continue. Called on the session's thread during the
    /// handshake, before any application data is sent. Must not block.
    func problem(with chain: PresentedChain) -> CertificateProblem?
}

/// The certificate chain that a server presented.
public struct PresentedChain: Sendable, Hashable {
    /// The DNS name or address to verify, according to the policy.
    public let name: String
    /// The certificates as sent, the server's own first, DER.
    public let certificates: [[UInt8]]
}

/// Certificate revocation lists (RFC 5280 §5).
///
/// `@unchecked Sendable`: the stack is filled in `init` and only read afterwards; OpenSSL fills the
/// lists' caches under a lock of the list.
public final class RevocationLists: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Parses the contents of files: one list in DER, or any number in PEM. A file without a list
    /// is an error, since nothing would be checked against it.
    public init(_ files: [[UInt8]]) throws(TLSError) {
        ErrorQueue.clear()
        guard let stack = copenssl_crl_stack_new() else {
            throw ErrorQueue.configurationError("cannot read revocation lists")
        }
        pointer = stack
        for file in files {
            let countBefore = copenssl_crl_count(stack)
            Self.read(file, onto: stack)
            guard copenssl_crl_count(stack) > countBefore else {
                throw TLSError(kind: .configuration, message: "no revocation list in PEM or DER")
            }
        }
    }

    deinit { copenssl_crl_stack_free_all(pointer) }

    private static func read(_ bytes: [UInt8], onto stack: OpaquePointer) {
        defer { ErrorQueue.clear() }
        bytes.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            if let list = d2i_X509_CRL(nil, &position, buffer.count) {
                return push(list, onto: stack)
            }
            guard let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count))
            else { return }
            defer { BIO_free(bio) }
            while let list = PEM_read_bio_X509_CRL(bio, nil, refusePassword, nil) {
                push(list, onto: stack)
            }
        }
    }

    private static func push(_ list: OpaquePointer, onto stack: OpaquePointer) {
        if copenssl_crl_push(stack, list) <= 0 { X509_CRL_free(list) }
    }
}

/// Why a chain failed verification, and which certificate caused it.
public struct VerificationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public let problem: CertificateProblem
    /// The certificate that caused the failure; nil if there is none, as in an empty chain.
    public let certificate: CertificateSummary?
    /// The certificate's depth: 0 for the server's own, 1 for its issuer's, and so on.
    public let depth: Int

    public var description: String { problem.message }
}
