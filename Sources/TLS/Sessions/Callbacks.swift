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
    let copied = pipe.read(
        into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
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

/// OpenSSL tells what the handshake does; only alerts are of interest.
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

/// A client has the server's chain and must say whether it is good.
func verifyPeerChain(
    _ store: OpaquePointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let store, let data = X509_STORE_CTX_get_ex_data(store, index),
        let session = session(of: OpaquePointer(data))
    else { return 0 }
    return session.acceptsPeer(store) ? 1 : 0
}

/// A client has verified the server's chain and must say whether it accepts what was stapled to it.
func stapledStatusReceived(
    _ ssl: OpaquePointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
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
