internal import ProxydCOpenSSL

/// The state that all client sessions share: the trust store, and sessions to resume.
///
/// `@unchecked Sendable`: the `SSL_CTX` is set up in `init` and only read afterwards; OpenSSL locks
/// its own counters and its certificate store.
public final class TLSClientContext: @unchecked Sendable {
    /// Forward secrecy comes first in OpenSSL's default order; insecure remaining suites (SHA-1 as
    /// MAC, no authentication, passwords) are removed.
    private static let ciphers = "DEFAULT:!SHA1:!aNULL:!eNULL:!PSK:!SRP"

    let pointer: OpaquePointer
    let resumption = SessionResumption()
    /// Verifies servers in place of the trust store.
    let verifier: (any ServerVerifying)?

    /// Whether all sessions show a certificate.
    let hasIdentity: Bool

    /// Loads the trust store. Throws an error that names a file if it is unreadable.
    public convenience init(
        trust: TrustSource = .system(extraFiles: []), highestVersion: TLSVersion = .tls13
    ) throws(TLSError) {
        try self.init(store: try TrustStore(trust), highestVersion: highestVersion)
    }

    /// Trusts the issuers in a store, or no one if it is nil. `identity` is presented to servers
    /// that request a certificate; `verifier`, if given, verifies in place of the store.
    public init(
        store: TrustStore?, highestVersion: TLSVersion = .tls13,
        identity: ClientIdentity? = nil, verifier: (any ServerVerifying)? = nil
    ) throws(TLSError) {
        self.verifier = verifier
        hasIdentity = identity != nil
        ErrorQueue.clear()
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw ErrorQueue.configurationError("cannot make a TLS client")
        }
        pointer = context
        try ContextDefaults.apply(
            to: context, ciphers: Self.ciphers, highestVersion: highestVersion)
        copenssl_ctx_set_session_cache_mode(
            context, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        SSL_CTX_sess_set_new_cb(context, newSession)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(context, verifyPeerChain, nil)
        _ = copenssl_ctx_set_stapled_status_callback(context, stapledStatusReceived)
        SSL_CTX_set_cert_cb(context, certificateRequested, nil)
        try identity?.apply(to: context)
        if let store { SSL_CTX_set1_cert_store(context, store.pointer) }
    }

    deinit {
        SSL_CTX_free(pointer)
    }
}
