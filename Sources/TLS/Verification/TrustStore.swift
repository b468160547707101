internal import ProxydCOpenSSL

/// Trusted issuers, to verify chains against apart from any session.
///
/// `@unchecked Sendable`: the `X509_STORE` is filled in `init` and only looked things up in
/// afterwards, which OpenSSL does under the store's lock.
public final class TrustStore: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Reads a source. An unreadable file is an error that names it.
    public convenience init(_ source: TrustSource) throws(TLSError) {
        try self.init()
        try source.load(into: pointer)
    }

    /// Trusts these certificates, DER, each for itself: also one that is no issuer's.
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
        // As curl does: an intermediate put into the store is trusted by itself. As browsers do:
        // an issuer may ask for policies (RFC 5280 §4.2.1.11).
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_POLICY_CHECK))
        // Any policy will do.
        X509_VERIFY_PARAM_add0_policy(
            X509_STORE_get0_param(store), OBJ_nid2obj(NID_any_policy))
    }

    deinit {
        X509_STORE_free(pointer)
    }
}
