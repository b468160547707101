internal import ProxydCOpenSSL

/// Driving OpenSSL.
extension TLSSession {
    /// What a call of OpenSSL came to.
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
