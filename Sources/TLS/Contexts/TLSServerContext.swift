internal import ProxydCOpenSSL

/// The state that server sessions for one name share: the certificate to present and the ticket
/// settings.
public final class TLSServerContext: Sendable {
    /// The DNS name or address, normalised: lower case, no brackets, no final dot.
    public let name: String
    let base: ServerContextBase
    let leaf: LeafCertificate
    /// The issuers that client certificates must have; nil to request none.
    let clientTrust: TrustStore?

    init(
        name: String, base: ServerContextBase, leaf: LeafCertificate, clientTrust: TrustStore? = nil
    ) {
        self.name = name
        self.base = base
        self.leaf = leaf
        self.clientTrust = clientTrust
    }

    /// Creates a context with an existing certificate.
    /// `certificatesPEM` contains the certificate and those to send along, `privateKeyPEM` its key
    /// without a password. With `clientTrust` clients must present a certificate that it trusts.
    public convenience init(
        name: String, certificatesPEM: [UInt8], privateKeyPEM: [UInt8],
        clientTrust: TrustStore? = nil
    ) throws(TLSError) {
        let chain = PEM.certificates(in: certificatesPEM)
        guard let certificate = chain.first, let key = PEM.privateKey(in: privateKeyPEM) else {
            throw TLSError(
                kind: .configuration, message: "no certificate, or no private key, in PEM form")
        }
        ErrorQueue.clear()
        guard X509_check_private_key(certificate.pointer, key.pointer) == 1 else {
            ErrorQueue.clear()
            throw TLSError(
                kind: .configuration, message: "the private key is not the certificate's")
        }
        let leaf = LeafCertificate(
            certificate: certificate, intermediates: Array(chain.dropFirst()), key: key,
            validity: .init(from: certificate.notBefore, to: certificate.notAfter))
        self.init(
            name: PeerName(name).description,
            base: try ServerContextBase(madeAt: CertificateClock.now()), leaf: leaf,
            clientTrust: clientTrust)
    }

    /// The certificate presented to clients, in DER.
    public var certificateDER: [UInt8] { leaf.certificate.der }

    /// Configures a new session. The name is part of the session's context, so a ticket issued for
    /// one name is invalid for another although all are sealed with one key.
    func apply(to ssl: OpaquePointer) throws(TLSError) {
        ErrorQueue.clear()
        let context = Digest.sha256([UInt8](name.utf8))
        guard SSL_set_session_id_context(ssl, context, UInt32(context.count)) == 1,
            SSL_use_cert_and_key(ssl, leaf.certificate.pointer, leaf.key.pointer, nil, 1) == 1
        else { throw ErrorQueue.configurationError("cannot use the certificate for \(name)") }
        for certificate in leaf.intermediates {
            guard copenssl_add_chain_certificate(ssl, certificate.pointer) == 1 else {
                throw ErrorQueue.configurationError("cannot use the chain for \(name)")
            }
        }
        guard let clientTrust else { return }
        guard copenssl_set_verify_store(ssl, clientTrust.pointer) == 1 else {
            throw ErrorQueue.configurationError("cannot ask clients for certificates")
        }
        SSL_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
}

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

    deinit { SSL_CTX_free(pointer) }
}
