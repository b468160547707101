internal import ProxydCOpenSSL

/// One TLS connection, client or server, as bytes in and bytes out: it knows no socket.
///
///     created ──startHandshake/receive──▶ handshaking ──▶ established
///        └───────────────┬────────────────────┴───────────────┘
///                        ▼ any error
///                      failed (every later call throws the same error)
///
/// After each call the ciphertext to send is in the output: take it with `withOutput`, also after
/// an error (the alert). Not thread-safe: a session belongs to one loop. Supports only TLS 1.2 and
/// 1.3, without renegotiation, compression or early data.
public final class TLSSession {
    enum State {
        case created
        case handshaking
        case established
        case failed(TLSError)
    }

    let ssl: OpaquePointer
    private let pipe: CiphertextPipe
    let role: Role
    var state = State.created
    /// Plaintext that was written before the handshake was complete.
    var earlyPlaintext: [UInt8] = []
    var alertReceived: TLSAlert?
    var alertSent: TLSAlert?
    /// The certificates that the peer sent, if verification found a problem.
    var unverifiedChain: [[UInt8]] = []
    /// The problem that verification found, whether or not the policy tolerates it.
    public internal(set) var certificateProblem: CertificateProblem?
    /// The server's request for a client certificate; nil if it made none.
    var certificateRequest: CertificateRequest?
    /// Whether the peer ended its stream with close_notify.
    public internal(set) var didReceiveCloseNotify = false
    private var didSendCloseNotify = false
    /// Whether `receive` is running; it must not be called again then.
    public private(set) var isReceiving = false

    /// A session with a server. `port` distinguishes servers of one name for resumption.
    public init(
        client context: TLSClientContext, policy: TLSPolicy, port: UInt16
    ) throws(TLSError) {
        let resumption = ResumptionKey(policy: policy, port: port)
        role = .client(ClientRole(context: context, policy: policy, resumption: resumption))
        pipe = CiphertextPipe()
        ssl = try Self.makeSSL(context.pointer, pipe)
        try attach()
        try configureClient(context, policy, resumption)
    }

    /// A session with a client. `alpn` lists our protocols in order of preference; if it is empty,
    /// the client's offer is ignored.
    public init(server context: TLSServerContext, alpn: [String]) throws(TLSError) {
        role = .server(context, alpn: alpn.map { [UInt8]($0.utf8) })
        pipe = CiphertextPipe()
        ssl = try Self.makeSSL(context.base.pointer, pipe)
        try attach()
        SSL_set_accept_state(ssl)
        try context.apply(to: ssl)
    }

    deinit {
        // OpenSSL would spoil the tickets of a session that did not end with close_notify, which
        // is how most peers end; only an error is a reason not to resume (RFC 5246 §7.2.1).
        if isHandshakeComplete { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(ssl)
    }

    // MARK: Bytes

    /// A client's hello is then in the output; a server has nothing to send yet.
    public func startHandshake() throws(TLSError) {
        try checkUsable()
        guard case .created = state else { return }
        state = .handshaking
        try continueHandshake()
    }

    /// Processes all of `ciphertext` and passes on its plaintext, in pieces of at most 64 KiB that
    /// are valid only within the call.
    ///
    /// Within `onPlaintext` the session may be written to, but `receive` must not be called.
    /// Plaintext from before an error is passed on before the error is thrown. Data after a
    /// close_notify is ignored.
    public func receive(
        _ ciphertext: Span<UInt8>, onPlaintext: (Span<UInt8>) -> Void
    ) throws(TLSError) {
        try startHandshake()
        try ciphertext.withUnsafeBytes { (bytes) throws(TLSError) in
            pipe.input = bytes
            isReceiving = true
            defer {
                pipe.input = UnsafeRawBufferPointer(start: nil, count: 0)
                isReceiving = false
            }
            try continueHandshake()
            guard case .established = state else { return }
            try ThreadScratch.current.withPlaintext { (buffer) throws(TLSError) in
                try decrypt(through: buffer, onPlaintext)
            }
        }
    }

    /// Whether data has arrived that was not passed on yet, including part of a record. Within
    /// `onPlaintext`, data after the current piece counts too.
    public var hasUnreadInput: Bool { !pipe.input.isEmpty || SSL_has_pending(ssl) == 1 }

    /// Encrypts into the output; before the handshake is complete, stores the bytes until then.
    public func write(_ plaintext: Span<UInt8>) throws(TLSError) {
        try checkUsable()
        guard !plaintext.isEmpty, !didSendCloseNotify else { return }
        guard case .established = state else {
            plaintext.withUnsafeBufferPointer { earlyPlaintext.append(contentsOf: $0) }
            return
        }
        try plaintext.withUnsafeBytes { (bytes) throws(TLSError) in try encrypt(bytes) }
    }

    /// Closes our direction properly (RFC 8446 §6.1); a session that was never established just
    /// ends. Data from the peer can still be received.
    public func sendCloseNotify() {
        guard case .established = state, !didSendCloseNotify else { return }
        didSendCloseNotify = true
        ErrorQueue.clear()
        SSL_shutdown(ssl)
        ErrorQueue.clear()
    }

    /// To be called when the transport has no more input. Returns nil if the peer closed properly,
    /// otherwise what is wrong. An established session can still be written to, because the peer
    /// may have closed only its own direction.
    public func endOfInput() -> TLSError? {
        switch state {
        case .failed(let error): error
        case .created, .handshaking: fail(role.closedDuringHandshake)
        case .established where didReceiveCloseNotify: nil
        case .established: role.truncated
        }
    }

    public var hasOutput: Bool { !pipe.output.isEmpty }

    /// Passes on the ciphertext to send, and discards it.
    public func withOutput(_ body: (Span<UInt8>) -> Void) {
        guard hasOutput else { return }
        let output = pipe.takeOutput()
        body(output.span)
        ThreadScratch.current.giveBack(output)
    }

    /// The ciphertext to send, as an array of its own.
    public func takeOutput() -> [UInt8] {
        pipe.takeOutput()
    }

    // MARK: Facts

    /// Whether plaintext can flow. True already within the `onPlaintext` of the call that ends
    /// the handshake.
    public var isHandshakeComplete: Bool {
        if case .established = state { true } else { false }
    }

    /// The negotiated parameters; nil before the handshake is complete.
    public var facts: TLSFacts? {
        guard isHandshakeComplete else { return nil }
        return TLSFacts(
            version: String(cString: SSL_get_version(ssl)),
            cipher: String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))),
            alpn: selectedProtocol, serverName: serverName,
            peerCertificates: peerCertificates, isResumed: SSL_session_reused(ssl) == 1,
            certificateRequest: certificateRequest, toleratedProblem: certificateProblem)
    }

    /// The certificates that the peer sent, leaf first, in DER, even if they were rejected.
    public var peerCertificates: [[UInt8]] {
        if !unverifiedChain.isEmpty { return unverifiedChain }
        return CertificateChain.der(ofStack: SSL_get_peer_cert_chain(ssl))
    }

    private var serverName: String? {
        SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    private var selectedProtocol: String? {
        var bytes: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &bytes, &count)
        guard let bytes, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }

    // MARK: Set-up

    private static func makeSSL(
        _ context: OpaquePointer, _ pipe: CiphertextPipe
    ) throws(TLSError) -> OpaquePointer {
        ErrorQueue.clear()
        guard let ssl = SSL_new(context) else {
            throw ErrorQueue.configurationError("cannot make a TLS session")
        }
        guard let bio = pipe.makeBIO() else {
            SSL_free(ssl)
            throw ErrorQueue.configurationError("cannot make a TLS session")
        }
        SSL_set_bio(ssl, bio, bio)
        return ssl
    }

    private func attach() throws(TLSError) {
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        guard copenssl_set_app_data(ssl, pointer) == 1 else {
            throw ErrorQueue.configurationError("cannot make a TLS session")
        }
    }

    private func configureClient(
        _ context: TLSClientContext, _ policy: TLSPolicy, _ resumption: ResumptionKey
    ) throws(TLSError) {
        SSL_set_connect_state(ssl)
        try PeerName(policy.verifyName).require(of: ssl)
        if let name = policy.serverName, case .dns(let host) = PeerName(name) {
            guard copenssl_set_server_name(ssl, host) == 1 else {
                throw ErrorQueue.configurationError("cannot ask for this server name")
            }
        }
        _ = copenssl_ask_for_stapled_status(ssl)
        let list = policy.alpn.flatMap { name in
            [UInt8(clamping: name.utf8.count)] + name.utf8.prefix(255)
        }
        // Unlike related functions, this one returns 0 for success.
        guard list.isEmpty || SSL_set_alpn_protos(ssl, list, UInt32(clamping: list.count)) == 0
        else { throw ErrorQueue.configurationError("cannot offer these protocols") }
        try policy.identity?.apply(toSession: ssl)
        if let earlier = context.resumption.take(resumption) {
            certificateProblem = earlier.problem
            SSL_set_session(ssl, earlier.session.pointer)
        }
    }
}

struct ClientRole {
    let context: TLSClientContext
    let policy: TLSPolicy
    let resumption: ResumptionKey
}

extension TLSSession {
    /// The role of a session, and how it words its errors: the peer of a client session is a
    /// server, and vice versa.
    enum Role {
        case client(ClientRole)
        case server(TLSServerContext, alpn: [[UInt8]])

        private var peer: String {
            switch self {
            case .client: "server"
            case .server: "client"
            }
        }

        private var isClient: Bool { if case .client = self { true } else { false } }

        var closedDuringHandshake: TLSError {
            let hint =
                switch self {
                case .client: ""
                case .server: " (certificate pinning or an untrusted CA)"
                }
            return TLSError(
                kind: .closedDuringHandshake,
                message: "the \(peer) closed the connection during the TLS handshake\(hint)")
        }

        var truncated: TLSError {
            TLSError(
                kind: .truncated, message: "the \(peer) closed the connection without close_notify")
        }

        func error(receivedAlert alert: TLSAlert) -> TLSError {
            TLSError(kind: .alertReceived(alert), message: words(for: alert))
        }

        private func words(for alert: TLSAlert) -> String {
            switch self {
            case .server where alert.saysIssuerIsNotTrusted:
                "the client does not trust the proxy's certificate authority (alert \(alert.name))"
            case .server where alert.saysCertificateIsRefused:
                "the client refused the proxy's certificate (alert \(alert.name))"
            case .client where alert.code == 70:
                "the server speaks no TLS version we accept (alert protocol_version)"
            case .client where alert.code == 112:
                "the server does not know this name (alert unrecognized_name)"
            case .client where alert.code == 116:
                "the server asks for a client certificate (alert certificate_required)"
            case .client, .server: "the \(peer) ended the TLS session (alert \(alert.name))"
            }
        }

        func error(reason: Int32, text: String, alertSent: TLSAlert?) -> TLSError {
            let sent = alertSent.map { " (alert \($0.name) sent)" } ?? ""
            return TLSError(kind: .protocolFailure, message: words(for: reason, text) + sent)
        }

        /// Callers put the name of a server before this text; texts about clients are complete.
        private func words(for reason: Int32, _ text: String) -> String {
            switch reason {
            case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_WRONG_VERSION_NUMBER,
                SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_RECORD_LENGTH_MISMATCH:
                "what the \(peer) sent is not TLS"
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW:
                "the \(peer) speaks no TLS version we accept (1.2 or 1.3)"
            case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS,
                SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_NO_SUITABLE_KEY_SHARE,
                SSL_R_NO_SUITABLE_GROUPS:
                "the \(peer) offers no cipher or signature we accept (\(text))"
            case SSL_R_NO_APPLICATION_PROTOCOL: "the \(peer) offers by ALPN no protocol we speak"
            case SSL_R_EXCESSIVE_MESSAGE_SIZE:
                "a message of the \(peer)'s TLS handshake is longer than is accepted"
            case SSL_R_RECORD_TOO_SMALL: "the \(peer) sent too many empty TLS records"
            case SSL_R_DH_KEY_TOO_SMALL, SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL:
                "the \(peer)'s key is too small (\(text))"
            default: isClient ? text : "TLS with the client failed: \(text)"
            }
        }
    }
}

/// The properties of a session after its handshake.
public struct TLSFacts: Sendable, Hashable {
    /// The version as OpenSSL names it: `TLSv1.3`.
    public let version: String
    /// The cipher suite as OpenSSL names it: `TLS_AES_256_GCM_SHA384`.
    public let cipher: String
    /// The protocol negotiated by ALPN (RFC 7301), or nil if none.
    public let alpn: String?
    /// The server name that the client sent (RFC 6066 §3), or nil if none.
    public let serverName: String?
    /// The certificates the peer sent, leaf first, DER.
    public let peerCertificates: [[UInt8]]
    public let isResumed: Bool
    /// The server's request for a client certificate; nil if it made none (client role only).
    public let certificateRequest: CertificateRequest?
    /// The problem with the server's certificate that the policy tolerates because it disables
    /// verification; nil if the certificate is valid.
    public let toleratedProblem: CertificateProblem?
}
