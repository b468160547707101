internal import ProxydCOpenSSL
internal import Glibc

extension TLSSession {
    /// The result of a call of OpenSSL.
    private enum Outcome {
        case done(Int)
        case needsInput
        case closed
        case failed
    }

    func checkUsable() throws(TLSError) {
        if case .failed(let error) = state { throw error }
    }

    func fail(_ error: TLSError) -> TLSError {
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

    func continueHandshake() throws(TLSError) {
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

    func decrypt(
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

    func encrypt(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
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
        if let alert = alertReceived, let message = certificateRequest?.problem(alert) {
            return TLSError(kind: .alertReceived(alert), message: message)
        }
        if let alert = alertReceived { return role.error(receivedAlert: alert) }
        return role.error(reason: entry.reason, text: entry.text, alertSent: alertSent)
    }
}

/// Both ends of a session's BIO: ciphertext is read straight from the span that
/// `TLSSession.receive` borrowed, and written straight into an output buffer.
///
/// The output buffer comes from the thread's spare ones and goes back when it is empty, so an idle
/// session keeps none.
final class CiphertextPipe {
    /// The remaining borrowed input; valid only within `TLSSession.receive`.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var output: [UInt8] = []

    /// Makes the BIO that reads and writes this pipe. The caller owns it; it does not retain the
    /// pipe.
    func makeBIO() -> OpaquePointer? {
        guard let bio = BIO_new(BIOMethod.shared.pointer) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        return bio
    }

    /// Moves input to OpenSSL; 0 if there is none.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, input.count)
        guard count > 0 else { return 0 }
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input.prefix(count)))
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(count))
        return count
    }

    /// Takes ciphertext from OpenSSL.
    func write(_ bytes: UnsafeRawBufferPointer) {
        if output.capacity == 0 { output = ThreadScratch.current.takeOutput() }
        output.append(contentsOf: bytes)
    }

    /// Takes the output; the next write starts a new one.
    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// The BIO's functions, made once for the process.
    ///
    /// `@unchecked Sendable`: the method table is filled in here and only read afterwards.
    private struct BIOMethod: @unchecked Sendable {
        static let shared = BIOMethod()
        let pointer: OpaquePointer?

        init() {
            pointer = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "span and array")
            BIO_meth_set_read(pointer, bioRead)
            BIO_meth_set_write(pointer, bioWrite)
            BIO_meth_set_ctrl(pointer, bioControl)
            BIO_meth_set_create(pointer, bioCreate)
        }
    }
}

/// Spare buffers of one thread, shared by all its sessions.
///
/// Buffers are lent, not fixed, because a session may receive data within another session's
/// callback (TLS inside TLS): the inner one then borrows a second buffer.
final class ThreadScratch {
    /// Large enough for the plaintext of one 64 KiB read.
    private static let plaintextByteCount = 65_536
    /// A larger output buffer is freed instead of kept for reuse.
    private static let outputByteCountMax = 262_144
    private static let spareCountMax = 4

    private var plaintexts: [UnsafeMutableBufferPointer<UInt8>] = []
    private var outputs: [[UInt8]] = []

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, threadScratchRelease)
        return key
    }()

    static var current: ThreadScratch {
        if let scratch = pthread_getspecific(key) {
            return Unmanaged<ThreadScratch>.fromOpaque(scratch).takeUnretainedValue()
        }
        let scratch = ThreadScratch()
        pthread_setspecific(key, Unmanaged.passRetained(scratch).toOpaque())
        return scratch
    }

    deinit {
        for buffer in plaintexts { buffer.deallocate() }
    }

    /// Lends a plaintext buffer for the duration of the call.
    func withPlaintext(
        _ body: (UnsafeMutableBufferPointer<UInt8>) throws(TLSError) -> Void
    ) throws(TLSError) {
        let buffer = plaintexts.popLast() ?? .allocate(capacity: Self.plaintextByteCount)
        defer {
            if plaintexts.count < Self.spareCountMax {
                plaintexts.append(buffer)
            } else {
                buffer.deallocate()
            }
        }
        try body(buffer)
    }

    /// An empty output buffer, with capacity if a spare one is available.
    func takeOutput() -> [UInt8] { outputs.popLast() ?? [] }

    /// Returns an output buffer for reuse.
    func giveBack(_ output: consuming [UInt8]) {
        guard outputs.count < Self.spareCountMax, output.capacity <= Self.outputByteCountMax
        else { return }
        output.removeAll(keepingCapacity: true)
        outputs.append(output)
    }
}
