internal import COpenSSL

/// One TLS connection, client or server, as bytes in and bytes out: it knows no socket.
///
///     created ──startHandshake/receive──▶ handshaking ──▶ established
///        └───────────────┬────────────────────┴───────────────┘
///                        ▼ any error
///                      failed (every later call throws the same error)
///
/// After each call the ciphertext to send is in the output: take it with `withOutput`, also after
/// an error (the alert). Not thread-safe: a session belongs to one loop. TLS 1.2 and 1.3 only, no
/// renegotiation, no compression, no early data.
public final class TLSSession {
    private enum State {
        case created
        case handshaking
        case established
        case failed(TLSError)
    }

    private let ssl: OpaquePointer
    private let pipe: CiphertextPipe
    let role: Role
    private var state = State.created
    /// What was written before the handshake was done.
    private var earlyPlaintext: [UInt8] = []
    private var alertReceived: TLSAlert?
    private var alertSent: TLSAlert?
    private var unverifiedChain: [[UInt8]] = []
    /// What verification had against the peer, whether or not the policy lets it pass.
    public private(set) var certificateProblem: CertificateProblem?
    /// Whether the peer ended its stream properly.
    public private(set) var didReceiveCloseNotify = false
    private var didSendCloseNotify = false

    /// A session towards a server. `port` tells apart servers of one name for resumption.
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

    /// A session towards a client. `alpn` lists the protocols we speak, most wanted first; none
    /// ignores what the client offers.
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

    /// Begins. A client's hello is then in the output; a server has nothing to send yet.
    public func startHandshake() throws(TLSError) {
        try checkUsable()
        guard case .created = state else { return }
        state = .handshaking
        try continueHandshake()
    }

    /// Takes all of `ciphertext` in and hands out the plaintext in it, in pieces of at most
    /// 64 KiB that are valid only within the call.
    ///
    /// Within `onPlaintext` the session may be written to, not fed. Plaintext that came before an
    /// error is handed out before the error is thrown. What follows a close_notify is ignored.
    public func receive(
        _ ciphertext: Span<UInt8>, onPlaintext: (Span<UInt8>) -> Void
    ) throws(TLSError) {
        try startHandshake()
        try ciphertext.withUnsafeBytes { (bytes) throws(TLSError) in
            pipe.input = bytes
            defer { pipe.input = UnsafeRawBufferPointer(start: nil, count: 0) }
            try continueHandshake()
            guard case .established = state else { return }
            try ThreadScratch.current.withPlaintext { (buffer) throws(TLSError) in
                try decrypt(through: buffer, onPlaintext)
            }
        }
    }

    /// Encrypts into the output; before the handshake is done, keeps the bytes for then.
    public func write(_ plaintext: Span<UInt8>) throws(TLSError) {
        try checkUsable()
        guard !plaintext.isEmpty, !didSendCloseNotify else { return }
        guard case .established = state else {
            plaintext.withUnsafeBufferPointer { earlyPlaintext.append(contentsOf: $0) }
            return
        }
        try plaintext.withUnsafeBytes { (bytes) throws(TLSError) in try encrypt(bytes) }
    }

    /// Ends our direction properly (RFC 8446 §6.1); a session that never got established just
    /// ends. What the peer still sends can be received.
    public func sendCloseNotify() {
        guard case .established = state, !didSendCloseNotify else { return }
        didSendCloseNotify = true
        ErrorQueue.clear()
        SSL_shutdown(ssl)
        ErrorQueue.clear()
    }

    /// To be called when the transport has no more input: nil when the peer had ended properly,
    /// else what is wrong.
    public func endOfInput() -> TLSError? {
        switch state {
        case .failed(let error): error
        case .created, .handshaking: fail(role.closedDuringHandshake)
        case .established where didReceiveCloseNotify: nil
        case .established: fail(role.truncated)
        }
    }

    /// Whether there is ciphertext to send.
    public var hasOutput: Bool { !pipe.output.isEmpty }

    /// Hands out the ciphertext to send and forgets it.
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

    /// What was agreed; nil before the handshake is done.
    public var facts: TLSFacts? {
        guard isHandshakeComplete else { return nil }
        return TLSFacts(
            version: String(cString: SSL_get_version(ssl)),
            cipher: String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))), alpn: selectedProtocol, serverName: serverName,
            peerCertificates: peerCertificates, isResumed: SSL_session_reused(ssl) == 1,
            toleratedProblem: certificateProblem)
    }

    /// The certificates the peer sent, leaf first, DER; also where they were not accepted.
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
        return String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }
}

// MARK: - Set-up

extension TLSSession {
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
        let list = policy.alpn.flatMap { name in
            [UInt8(clamping: name.utf8.count)] + name.utf8.prefix(255)
        }
        // Unlike its relatives, this function answers 0 for success.
        guard list.isEmpty || SSL_set_alpn_protos(ssl, list, UInt32(clamping: list.count)) == 0
        else { throw ErrorQueue.configurationError("cannot offer these protocols") }
        if let earlier = context.resumption.take(resumption) {
            certificateProblem = earlier.problem
            SSL_set_session(ssl, earlier.session.pointer)
        }
    }
}

// MARK: - Driving OpenSSL

extension TLSSession {
    /// What a call of OpenSSL came to.
    private enum Outcome {
        case done(Int)
        case needsInput
        case closed
        case failed
    }

    private func checkUsable() throws(TLSError) {
        if case .failed(let error) = state { throw error }
    }

    private func fail(_ error: TLSError) -> TLSError {
        state = .failed(error)
        return error
    }

    private func outcome(_ result: Int32) -> Outcome {
        if result > 0 { return .done(Int(result)) }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: return .failed
        }
    }

    private func continueHandshake() throws(TLSError) {
        guard case .handshaking = state else { return }
        ErrorQueue.clear()
        switch outcome(SSL_do_handshake(ssl)) {
        case .needsInput: return
        case .closed: throw fail(role.closedDuringHandshake)
        case .failed: throw fail(diagnosis())
        case .done:
            state = .established
            let early = earlyPlaintext
            earlyPlaintext = []
            try write(early.span)
        }
    }

    private func decrypt(
        through buffer: UnsafeMutableBufferPointer<UInt8>, _ onPlaintext: (Span<UInt8>) -> Void
    ) throws(TLSError) {
        var filled = 0
        func deliver() {
            guard filled > 0 else { return }
            let plaintext = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[..<filled])
            filled = 0
            onPlaintext(Span(_unsafeElements: plaintext))
        }
        while !didReceiveCloseNotify {
            guard let start = buffer.baseAddress else { return }
            ErrorQueue.clear()
            let room = Int32(truncatingIfNeeded: buffer.count - filled)
            switch outcome(SSL_read(ssl, start + filled, room)) {
            case .done(let count):
                filled += count
                if filled == buffer.count { deliver() }
            case .needsInput: return deliver()
            case .closed:
                didReceiveCloseNotify = true
                return deliver()
            case .failed:
                let error = fail(diagnosis())
                deliver()
                throw error
            }
        }
    }

    private func encrypt(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            ErrorQueue.clear()
            let count = Int32(clamping: min(rest.count, 1 << 20))
            guard case .done(let written) = outcome(SSL_write(ssl, start, count)) else {
                throw fail(diagnosis())
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        }
    }

    private func diagnosis() -> TLSError {
        let entry = ErrorQueue.drain()
        if case .client(let client) = role, let problem = certificateProblem,
            client.policy.verification == .required
        {
            return TLSError(kind: .certificate(problem), message: problem.message)
        }
        if let alert = alertReceived { return role.error(receivedAlert: alert) }
        return role.error(reason: entry.reason, text: entry.text, alertSent: alertSent)
    }
}

// MARK: - Called from Callbacks.swift

extension TLSSession {
    /// What a server makes of a client's ALPN list.
    enum ProtocolChoice {
        case notWanted
        case noneInCommon
        case at(Range<Int>)
    }

    func noteAlert(_ alert: TLSAlert, isFatal: Bool, isReceived: Bool) {
        guard isFatal else { return }
        if isReceived { alertReceived = alert } else { alertSent = alert }
    }

    func chooseProtocol(from offered: UnsafeBufferPointer<UInt8>) -> ProtocolChoice {
        guard case .server(_, let wanted) = role, !wanted.isEmpty else { return .notWanted }
        for name in wanted {
            var start = 0
            while start < offered.count {
                let end = start + 1 + Int(offered[start])
                guard end <= offered.count else { break }
                if offered[(start + 1)..<end].elementsEqual(name) { return .at(start + 1..<end) }
                start = end
            }
        }
        return .noneInCommon
    }

    /// Verifies the server's chain; remembers it, and the problem, where there is one.
    func acceptsPeer(_ store: OpaquePointer) -> Bool {
        guard case .client(let client) = role else { return false }
        certificateProblem = nil
        if X509_verify_cert(store) == 1 { return true }
        let name = PeerName(client.policy.verifyName)
        certificateProblem = CertificateProblem(verifying: store, expected: name)
        unverifiedChain = CertificateChain.der(ofStack: X509_STORE_CTX_get0_untrusted(store))
        return client.policy.verification == .disabled
    }

    func keep(_ session: ResumableSession) {
        guard case .client(let client) = role else { return }
        client.context.resumption.put(
            .init(session: session, problem: certificateProblem), for: client.resumption)
    }
}
