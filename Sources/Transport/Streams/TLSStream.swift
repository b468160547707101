public import ProxydEventLoops
public import ProxydTLS

/// TLS over another stream, in either role. Loop-confined.
///
/// ```
///   created ──start()──▶ handshaking ──▶ established ──▶ closed
///                             └── failure: onHandshake is told, the transport left to the caller
/// ```
/// Bytes written during one dispatch are encrypted together at its end, so that small pieces share
/// a record and a system call. An idle stream has no buffers.
public final class TLSStream: DuplexStream, DuplexStreamDelegate, DispatchEndObserver {
    /// Creates the session when the handshake starts.
    typealias MakeSession = () throws(TLSError) -> TLSSession

    enum State {
        case created(MakeSession, alreadyReceived: [UInt8])
        case handshaking(TLSSession)
        case established(TLSSession)
        case closed
    }

    /// The stream that carries the ciphertext.
    public let transport: any DuplexStream
    private var state: State
    private var onHandshake: ((Result<TLSFacts, TLSError>) -> Void)?
    private let handshakeTimeoutNs: Int64?
    private var deadline: Timer?
    /// Plaintext written but not yet encrypted.
    private var pending: [UInt8] = []
    /// Plaintext decrypted while the delegate was missing or paused.
    private var buffered: [UInt8] = []
    private var isReadPaused = false
    private var isWriteEnded = false
    private var isEndTold = false
    private var isDispatchEndRequested = false

    public var delegate: (any DuplexStreamDelegate)? {
        didSet { if delegate != nil, hasUntold { requestDispatchEnd() } }
    }

    init(
        over transport: any DuplexStream, alreadyReceived: [UInt8], handshakeTimeoutNs: Int64?,
        makeSession: @escaping MakeSession,
        onHandshake: @escaping (Result<TLSFacts, TLSError>) -> Void
    ) {
        self.transport = transport
        state = .created(makeSession, alreadyReceived: alreadyReceived)
        self.handshakeTimeoutNs = handshakeTimeoutNs
        self.onHandshake = onHandshake
    }

    // MARK: State

    public var loop: EventLoop { transport.loop }
    public var peerAddress: SocketAddress { transport.peerAddress }
    public var localAddress: SocketAddress { transport.localAddress }
    public var queuedByteCount: Int { pending.count + transport.queuedByteCount }
    public var isCongested: Bool { transport.isCongested }
    public var isOpen: Bool { if case .closed = state { false } else { transport.isOpen } }

    private var session: TLSSession? {
        switch state {
        case .handshaking(let session), .established(let session): session
        case .created, .closed: nil
        }
    }

    private var isEstablished: Bool { if case .established = state { true } else { false } }

    // MARK: Handshake

    /// Starts the handshake; the stream becomes the transport's delegate. `onHandshake` is called
    /// once, never from within this call, unless the stream is closed before.
    public func start() {
        loop.preconditionOnLoop()
        guard case .created(let makeSession, let received) = state else { return }
        transport.delegate = self
        deadline = handshakeTimeoutNs.map { afterNs in
            loop.schedule(afterNs: afterNs) { [weak self] in self?.expire() }
        }
        do throws(TLSError) {
            let session = try makeSession()
            state = .handshaking(session)
            try session.startHandshake()
            // No client sends application data before it has received the server's handshake
            // messages.
            if !received.isEmpty { try session.receive(received.span) { _ in } }
            sendOutput(of: session)
        } catch {
            loop.afterDispatch { [self] in failHandshake(error) }
        }
    }

    private func expire() {
        failHandshake(TLSError(kind: .protocolFailure, message: "the TLS handshake took too long"))
    }

    private func announce(_ session: TLSSession) {
        guard case .handshaking = state, let facts = session.facts else { return }
        state = .established(session)
        endHandshake()?(.success(facts))
        if !pending.isEmpty || isWriteEnded { requestDispatchEnd() }
    }

    /// The alert, if any, is queued on the transport, which stays open and without a delegate.
    private func failHandshake(_ error: TLSError) {
        switch state {
        case .created, .handshaking: break
        case .established, .closed: return
        }
        if let session { sendOutput(of: session) }
        release()
        transport.delegate = nil
        endHandshake()?(.failure(error))
    }

    private func endHandshake() -> ((Result<TLSFacts, TLSError>) -> Void)? {
        deadline?.cancel()
        deadline = nil
        defer { onHandshake = nil }
        return onHandshake
    }

    // MARK: Reading

    public func pauseReading() {
        loop.preconditionOnLoop()
        isReadPaused = true
        if isEstablished { transport.pauseReading() }
    }

    public func resumeReading() {
        loop.preconditionOnLoop()
        isReadPaused = false
        if hasUntold { requestDispatchEnd() } else { transport.resumeReading() }
    }

    /// Watches for the end of the connection while reading is paused; an unread close_notify is not
    /// seen.
    public func watchForEnd() {
        loop.preconditionOnLoop()
        if isEstablished, isReadPaused { transport.watchForEnd() }
    }

    /// The connection has ended while reading is paused.
    public func streamPeerDidEnd(_ stream: any DuplexStream) { delegate?.streamPeerDidEnd(self) }

    public func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        receive(bytes)
    }

    private func receive(_ ciphertext: Span<UInt8>) {
        guard let session else { return }
        do throws(TLSError) {
            try session.receive(ciphertext) { plaintext in
                announce(session)
                deliver(plaintext)
            }
            if session.isHandshakeComplete { announce(session) }
            sendOutput(of: session)
            tellCloseNotify()
        } catch {
            sendOutput(of: session)
            fail(error)
        }
    }

    /// Takes the bytes that have arrived, without waiting. Session tickets, which servers may send
    /// at any time (RFC 8446 §4.6.1), do not count as plaintext.
    ///
    /// Input that the session has not processed stays in it. During a delivery, the session takes
    /// no input: bytes in the socket are then lost, and the stream counts as broken.
    public func takeArrived(_ take: (Span<UInt8>) -> Void) -> Bool {
        guard case .established(let session) = state, !session.hasUnreadInput else { return false }
        if !buffered.isEmpty {
            take(buffered.span)
            buffered = []
        }
        var isBroken = false
        let isTransportOpen = transport.takeArrived { ciphertext in
            guard !session.isReceiving else { return isBroken = true }
            do throws(TLSError) {
                try session.receive(ciphertext, onPlaintext: take)
            } catch {
                isBroken = true
            }
        }
        sendOutput(of: session)
        guard isTransportOpen, !isBroken else { return false }
        return !session.hasUnreadInput && !session.didReceiveCloseNotify
    }

    private func deliver(_ plaintext: Span<UInt8>) {
        guard isEstablished else { return }
        guard let delegate, !isReadPaused, buffered.isEmpty else {
            plaintext.withUnsafeBufferPointer { buffered.append(contentsOf: $0) }
            return transport.pauseReading()
        }
        delegate.stream(self, didReceive: plaintext)
    }

    private func deliverBuffered() {
        guard isEstablished, !isReadPaused, let delegate else { return }
        if !buffered.isEmpty {
            let bytes = buffered
            buffered = []
            delegate.stream(self, didReceive: bytes.span)
        }
        if isEstablished, !isReadPaused { transport.resumeReading() }
    }

    /// Whether bytes or the end have not been delivered, because the delegate was paused or
    /// missing.
    private var hasUntold: Bool {
        !buffered.isEmpty || session?.didReceiveCloseNotify == true && !isEndTold
    }

    /// The transport ended. Without a close_notify before, an attacker may have truncated the
    /// connection.
    public func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        switch state {
        case .handshaking(let session):
            failHandshake(session.endOfInput() ?? TLSStream.endedDuringHandshake)
        case .established(let session): tellEnd(isClean: session.didReceiveCloseNotify)
        case .created, .closed: break
        }
    }

    private static let endedDuringHandshake = TLSError(
        kind: .closedDuringHandshake, message: "the connection was closed during the TLS handshake")

    private func tellCloseNotify() {
        if let session, session.didReceiveCloseNotify { tellEnd(isClean: true) }
    }

    /// Reports the end once, after all plaintext that came before it.
    private func tellEnd(isClean: Bool) {
        guard isEstablished, buffered.isEmpty, !isReadPaused, !isEndTold, let delegate
        else { return }
        isEndTold = true
        delegate.streamDidReachEnd(self, isClean: isClean)
    }

    // MARK: Writing

    /// Writes of at least this size are encrypted immediately, because they fill a record.
    private static let recordByteCount = 16 * 1_024

    public func write(_ bytes: Span<UInt8>) {
        loop.preconditionOnLoop()
        guard isOpen, !isWriteEnded, !bytes.isEmpty else { return }
        if isEstablished, bytes.count >= TLSStream.recordByteCount {
            encryptPending()
            return encrypt(bytes)
        }
        if pending.capacity == 0 { pending = loop.takeSpareBuffer() }
        bytes.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
        guard isEstablished else { return }
        if pending.count >= TLSStream.recordByteCount {
            encryptPending()
        } else {
            requestDispatchEnd()
        }
    }

    public func acknowledge() { transport.acknowledge() }

    /// Encrypts and sends what is queued now.
    public func flush() {
        loop.preconditionOnLoop()
        encryptPending()
        transport.flush()
    }

    /// Ends our direction: sends close_notify after the queue, then FIN.
    public func shutdownWriting() {
        loop.preconditionOnLoop()
        guard isOpen, !isWriteEnded else { return }
        isWriteEnded = true
        if isEstablished { requestDispatchEnd() }
    }

    private func encryptPending() {
        guard isEstablished, !pending.isEmpty else { return }
        let bytes = pending
        pending = []
        encrypt(bytes.span)
        loop.keepSpareBuffer(bytes)
    }

    private func encrypt(_ plaintext: Span<UInt8>) {
        guard case .established(let session) = state else { return }
        do throws(TLSError) {
            try session.write(plaintext)
            sendOutput(of: session)
        } catch {
            // Not reported immediately: the caller is inside one of this object's methods.
            sendOutput(of: session)
            loop.afterDispatch { [self] in fail(error) }
        }
    }

    private func sendOutput(of session: TLSSession) { session.withOutput { transport.write($0) } }

    private func requestDispatchEnd() {
        guard !isDispatchEndRequested else { return }
        isDispatchEndRequested = true
        loop.notifyAtDispatchEnd(self)
    }

    /// At the end of the dispatch, encrypts and sends what was written, and delivers what was kept.
    public func dispatchDidEnd() {
        isDispatchEndRequested = false
        guard case .established(let session) = state else { return }
        encryptPending()
        if isWriteEnded {
            session.sendCloseNotify()
            sendOutput(of: session)
            transport.shutdownWriting()
        }
        transport.flush()
        guard hasUntold else { return }
        deliverBuffered()
        tellCloseNotify()
    }

    public func streamDidDrain(_ stream: any DuplexStream) {
        if isEstablished { delegate?.streamDidDrain(self) }
    }

    // MARK: Ending

    public func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        guard isEstablished else {
            return failHandshake(
                TLSError(
                    kind: .closedDuringHandshake,
                    message: "the connection broke during the TLS handshake: \(error)"))
        }
        let delegate = delegate
        release()
        delegate?.stream(self, didFail: error)
    }

    private func fail(_ error: TLSError) {
        guard isEstablished else { return failHandshake(error) }
        let delegate = delegate
        release()
        // Closed cleanly, so that the alert with the reason is delivered.
        transport.close()
        delegate?.stream(self, didFail: StreamError(kind: .security, message: error.message))
    }

    /// Sends the queue and close_notify, and closes the transport cleanly.
    public func close() {
        loop.preconditionOnLoop()
        encryptPending()
        if let session {
            if !isWriteEnded { session.sendCloseNotify() }
            sendOutput(of: session)
        }
        release()
        _ = endHandshake()
        transport.close()
    }

    /// Closes immediately with a reset.
    public func abort() {
        loop.preconditionOnLoop()
        release()
        _ = endHandshake()
        transport.abort()
    }

    private func release() {
        state = .closed
        delegate = nil
        buffered = []
        guard pending.capacity > 0 else { return }
        let bytes = pending
        pending = []
        loop.keepSpareBuffer(bytes)
    }

    /// Creates a stream to a client, which has already sent `alreadyReceived` (its ClientHello).
    ///
    /// `onHandshake` receives the session's facts or the error; after an error the transport stays
    /// open, without a delegate and with the alert in its queue, and the caller must close it.
    public convenience init(
        server context: TLSServerContext, over transport: any DuplexStream,
        alreadyReceived: [UInt8] = [], alpn: [String] = ["http/1.1"], handshakeTimeoutNs: Int64,
        onHandshake: @escaping (Result<TLSFacts, TLSError>) -> Void
    ) {
        self.init(
            over: transport, alreadyReceived: alreadyReceived,
            handshakeTimeoutNs: handshakeTimeoutNs,
            makeSession: { () throws(TLSError) in try TLSSession(server: context, alpn: alpn) },
            onHandshake: onHandshake)
    }

    /// Creates a stream to a server. `port` distinguishes servers of one name for session
    /// resumption. `onHandshake` is as in the other initializer.
    public convenience init(
        client context: TLSClientContext, policy: TLSPolicy, port: UInt16,
        over transport: any DuplexStream, handshakeTimeoutNs: Int64? = nil,
        onHandshake: @escaping (Result<TLSFacts, TLSError>) -> Void
    ) {
        self.init(
            over: transport, alreadyReceived: [], handshakeTimeoutNs: handshakeTimeoutNs,
            makeSession: { () throws(TLSError) in
                try TLSSession(client: context, policy: policy, port: port)
            },
            onHandshake: onHandshake)
    }
}
