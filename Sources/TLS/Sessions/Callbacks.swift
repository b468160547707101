internal import ProxydCOpenSSL

// All functions that OpenSSL calls. They recover the session and delegate; nothing else in the
// module turns raw pointers into objects.
//
// The pointer is always good: a session sets it on its own SSL and BIO, and OpenSSL calls back
// only from within a call that the session itself makes.

private func session(of ssl: OpaquePointer?) -> TLSSession? {
    guard let data = copenssl_get_app_data(ssl) else { return nil }
    return Unmanaged<TLSSession>.fromOpaque(data).takeUnretainedValue()
}

private func pipe(of bio: OpaquePointer?) -> CiphertextPipe? {
    guard let data = BIO_get_data(bio) else { return nil }
    return Unmanaged<CiphertextPipe>.fromOpaque(data).takeUnretainedValue()
}

/// OpenSSL wants ciphertext.
func bioRead(
    _ bio: OpaquePointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int32
) -> Int32 {
    copenssl_clear_retry_flags(bio)
    guard let pipe = pipe(of: bio), let bytes, count > 0 else { return 0 }
    let copied = pipe.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
    if copied == 0 {
        copenssl_set_retry_read(bio)
        return -1
    }
    return Int32(truncatingIfNeeded: copied)
}

/// OpenSSL has ciphertext to send.
func bioWrite(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    copenssl_clear_retry_flags(bio)
    guard let pipe = pipe(of: bio), let bytes, count > 0 else { return 0 }
    pipe.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    return count
}

/// OpenSSL asks the BIO for something; only a flush needs a yes.
func bioControl(
    _ bio: OpaquePointer?, _ command: Int32, _ number: Int, _ pointer: UnsafeMutableRawPointer?
) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}

/// A new BIO is usable immediately.
func bioCreate(_ bio: OpaquePointer?) -> Int32 {
    BIO_set_init(bio, 1)
    return 1
}

/// OpenSSL has a secret of a session, as a line of SSLKEYLOGFILE.
func secretMade(_ ssl: OpaquePointer?, _ line: UnsafePointer<CChar>?) {
    if let line { TLSKeyLog.write(line) }
}

/// OpenSSL reports what the handshake does; only alerts are of interest.
func sessionInfo(_ ssl: OpaquePointer?, _ event: Int32, _ value: Int32) {
    guard event & SSL_CB_ALERT != 0 else { return }
    let alert = TLSAlert(code: UInt8(truncatingIfNeeded: value))
    let isFatal = (value >> 8) == SSL3_AL_FATAL
    session(of: ssl)?.noteAlert(alert, isFatal: isFatal, isReceived: event & SSL_CB_READ != 0)
}

/// A server acknowledges whatever name it was asked for: the certificate was chosen before.
func serverNameReceived(
    _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    SSL_TLSEXT_ERR_OK
}

/// A server chooses a protocol of the client's ALPN list.
func selectProtocol(
    _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let session = session(of: ssl), let chosen, let chosenCount, let offered else {
        return SSL_TLSEXT_ERR_NOACK
    }
    let list = UnsafeBufferPointer(start: offered, count: Int(offeredCount))
    switch session.chooseProtocol(from: list) {
    case .notWanted: return SSL_TLSEXT_ERR_NOACK
    case .noneInCommon: return SSL_TLSEXT_ERR_ALERT_FATAL
    case .at(let range):
        chosen.pointee = offered + range.lowerBound
        chosenCount.pointee = UInt8(truncatingIfNeeded: range.count)
        return SSL_TLSEXT_ERR_OK
    }
}

/// A client has the server's chain and must say whether it is valid.
func verifyPeerChain(_ store: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let store, let data = X509_STORE_CTX_get_ex_data(store, index),
        let session = session(of: OpaquePointer(data))
    else { return 0 }
    return session.acceptsPeer(store) ? 1 : 0
}

/// A client has verified the server's chain and must say whether it accepts the stapled response.
func stapledStatusReceived(_ ssl: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    session(of: ssl)?.acceptsStapledStatus() == true ? 1 : 0
}

/// A server asks a client for a certificate; 1 shows the one that was set, if any.
func certificateRequested(_ ssl: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    session(of: ssl)?.noteCertificateRequest()
    return 1
}

/// A client got a session it may resume later; 1 keeps the reference.
func newSession(_ ssl: OpaquePointer?, _ resumable: OpaquePointer?) -> Int32 {
    guard let session = session(of: ssl), let resumable else { return 0 }
    session.keep(ResumableSession(owning: resumable))
    return 1
}

/// No key file of ours has a password: never ask the terminal for one.
func refusePassword(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    0
}

/// Frees the scratch memory of a thread that ends.
func threadScratchRelease(_ scratch: UnsafeMutableRawPointer?) {
    guard let scratch else { return }
    Unmanaged<ThreadScratch>.fromOpaque(scratch).release()
}

/// Handlers of OpenSSL's callbacks.
extension TLSSession {
    /// A server's response to a client's ALPN list.
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

    /// Verifies the server's chain, and stores it with the problem if there is one.
    func acceptsPeer(_ store: OpaquePointer) -> Bool {
        guard case .client(let client) = role else { return false }
        certificateProblem = nil
        if let verifier = client.context.verifier { return accepts(store, client, verifier) }
        if X509_verify_cert(store) == 1 {
            let chain = X509_STORE_CTX_get0_chain(store)
            guard let failure = BrowserRules.failure(in: chain) else { return true }
            return tolerates(failure.problem, store, client)
        }
        let name = PeerName(client.policy.verifyName)
        return tolerates(CertificateProblem(verifying: store, expected: name), store, client)
    }

    /// Stores the problem and returns whether the session continues. OpenSSL derives the alert from
    /// the problem's number.
    private func tolerates(
        _ problem: CertificateProblem, _ store: OpaquePointer, _ client: ClientRole
    ) -> Bool {
        certificateProblem = problem
        unverifiedChain = CertificateChain.der(ofStack: X509_STORE_CTX_get0_untrusted(store))
        X509_STORE_CTX_set_error(
            store, Int32(exactly: problem.code) ?? X509_V_ERR_APPLICATION_VERIFICATION)
        return client.policy.verification == .disabled
    }

    private func accepts(
        _ store: OpaquePointer, _ client: ClientRole, _ verifier: any ServerVerifying
    ) -> Bool {
        let shown = CertificateChain.der(ofStack: X509_STORE_CTX_get0_untrusted(store))
        let name = PeerName(client.policy.verifyName).description
        guard
            let problem = verifier.problem(with: PresentedChain(name: name, certificates: shown))
        else { return true }
        return tolerates(problem, store, client)
    }

    func noteCertificateRequest() {
        guard case .client(let client) = role else { return }
        let count = min(
            Int(copenssl_peer_authority_count(ssl)), CertificateRequest.authorityCountMax)
        certificateRequest = CertificateRequest(
            authorities: (0..<max(0, count)).map { index in
                DistinguishedName.text(copenssl_peer_authority_at(ssl, Int32(index)))
            },
            isAnswered: client.policy.identity != nil || client.context.hasIdentity)
    }

    func keep(_ session: ResumableSession) {
        guard case .client(let client) = role else { return }
        client.context.resumption.put(
            .init(session: session, problem: certificateProblem), for: client.resumption)
    }
}

/// A server's request for a client certificate (RFC 8446 §4.3.2).
public struct CertificateRequest: Sendable, Hashable {
    /// More authorities than anyone reads.
    static let authorityCountMax = 32

    /// The authorities that the server accepts, as it names them, at most 32; empty if it names
    /// none, which means any.
    public let authorities: [String]
    public let isAnswered: Bool

    /// A description, if the server ended the session with an alert because of this request; nil if
    /// the alert has another reason.
    func problem(_ alert: TLSAlert) -> String? {
        let isAboutCertificate =
            alert.saysIssuerIsNotTrusted || alert.saysCertificateIsRefused
            || [40, 41, 49, 116].contains(alert.code)
        guard isAboutCertificate else { return nil }
        let from =
            authorities.isEmpty ? "of any authority" : "of \(authorities.joined(separator: " or "))"
        return isAnswered
            ? "the server does not accept the client certificate; it asks for one \(from) "
                + "(alert \(alert.name))"
            : "the server asks for a client certificate \(from), and none is configured for it "
                + "(alert \(alert.name))"
    }
}
