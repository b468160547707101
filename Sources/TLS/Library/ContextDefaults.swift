internal import ProxydCOpenSSL

/// Settings that client and server contexts share.
enum ContextDefaults {
    /// OpenSSL's level 2: no key or signature below 112 bits of strength.
    static let securityLevel: Int32 = 2
    /// The maximum size of the peer's certificate message, in bytes.
    static let certificateListByteCountMax = 100 << 10

    /// Sets versions, ciphers, modes and the alert watch of a new context.
    static func apply(
        to context: OpaquePointer, ciphers: String, highestVersion: TLSVersion = .tls13
    ) throws(TLSError) {
        SSL_CTX_set_security_level(context, securityLevel)
        guard copenssl_ctx_set_min_version(context, TLSVersion.tls12.number) == 1,
            copenssl_ctx_set_max_version(context, highestVersion.number) == 1,
            SSL_CTX_set_cipher_list(context, ciphers) == 1
        else { throw ErrorQueue.configurationError("cannot set TLS versions and ciphers") }
        copenssl_ctx_set_mode(context, Int(SSL_MODE_RELEASE_BUFFERS) | Int(SSL_MODE_NO_AUTO_CHAIN))
        _ = copenssl_ctx_set_max_certificate_list(context, certificateListByteCountMax)
        copenssl_ctx_forbid_compression_and_renegotiation(context)
        SSL_CTX_set_info_callback(context, sessionInfo)
        if TLSKeyLog.isOpen { SSL_CTX_set_keylog_callback(context, secretMade) }
    }
}
