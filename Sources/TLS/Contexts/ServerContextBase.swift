internal import ProxydCOpenSSL

/// Settings and ticket keys of all server sessions. Creating a context costs far more than creating
/// a session, so all names share it; the certificate is set on each session.
///
/// `@unchecked Sendable`: set up in `init`, only read afterwards; OpenSSL locks its own counters.
final class ServerContextBase: @unchecked Sendable {
    /// Only authenticated encryption with forward secrecy: supported by any client of the last ten
    /// years.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"

    let pointer: OpaquePointer
    /// Seconds since 1970.
    let madeAt: Int

    init(madeAt: Int) throws(TLSError) {
        ErrorQueue.clear()
        guard let context = SSL_CTX_new(TLS_server_method()) else {
            throw ErrorQueue.configurationError("cannot make a TLS server")
        }
        pointer = context
        self.madeAt = madeAt
        try ContextDefaults.apply(to: context, ciphers: Self.ciphers)
        // Clients store their sessions in tickets: no cache is needed here.
        copenssl_ctx_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
        copenssl_ctx_set_servername_callback(context, serverNameReceived)
    }

    deinit {
        SSL_CTX_free(pointer)
    }
}
