internal import ProxydCOpenSSL

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
        X509_VERIFY_PARAM_add0_policy(
            X509_STORE_get0_param(store), OBJ_nid2obj(NID_any_policy))
    }

    deinit {
        X509_STORE_free(pointer)
    }
}
