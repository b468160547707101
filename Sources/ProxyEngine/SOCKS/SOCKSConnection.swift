internal import ProxydEventLoops
internal import ProxydHTTPModel

/// The handshake with a SOCKS client, after which its connection is a tunnel like one of CONNECT.
///
/// ```
/// reading ──credentials──▶ checking ──▶ reading ──request──▶ TunnelOpening
///    └──── refused, ended, too slow ────┴───▶ left
/// ```
final class SOCKSConnection: DuplexStreamDelegate, ClientLayer {
    private enum State {
        case reading
        /// Name and password are being checked.
        case checking(ClientCredentials)
        case left
    }

    private let stream: any DuplexStream
    private let connection: ClientConnection
    private let worker: ProxyWorker
    private var handshake: SOCKSHandshake
    private var state = State.reading
    /// What the client has sent, for the record of a refusal; nil once it may send a password.
    private var received: [UInt8]? = []
    private var firstByteAt: Int64?
    /// Whether the client has ended its side.
    private var hasEnded = false

    private(set) var deadline: Int64
    var registryIndex = -1

    /// The number of received bytes that are recorded of a handshake that fails.
    private static let recordedByteCountMax = 4_096

    init(stream: any DuplexStream, connection: ClientConnection, worker: ProxyWorker) {
        self.stream = stream
        self.connection = connection
        self.worker = worker
        let isRequired = worker.authenticator?.isRequired(by: connection.listenerName) ?? false
        handshake = SOCKSHandshake(requiresPassword: isRequired)
        deadline = worker.now &+ worker.configuration.headTimeoutNs
    }

    var idleSince: Int64? { firstByteAt == nil ? connection.acceptedAt : nil }

    // MARK: Input

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        guard !hasLeft else { return }
        if firstByteAt == nil { firstByteAt = worker.now }
        if let count = received?.count, count < Self.recordedByteCountMax {
            bytes.withUnsafeBufferPointer {
                received?.append(contentsOf: $0.prefix(Self.recordedByteCountMax - count))
            }
        }
        handshake.append(bytes)
        if case .reading = state { proceed() }
    }

    private func proceed() {
        while case .reading = state {
            switch handshake.next() {
            case .needsMoreInput:
                if hasEnded { fail(.socksClosed) }
                return
            case .send(let bytes):
                if handshake.expectsCredentials { received = nil }
                stream.write(bytes)
            case .authenticate(let credentials): check(credentials)
            case .request(let request): open(request)
            case .refuse(let answer, let fault): refuse(answer, fault)
            }
        }
    }

    // MARK: Users

    private func check(_ credentials: ClientCredentials) {
        state = .checking(credentials)
        guard let authenticator = worker.authenticator else { return decided(.rejected) }
        // What a client sends ahead waits in the kernel. The time that this takes is ours.
        stream.pauseReading()
        deadline = .max
        let bound = LoopBound(WeakConnection(self), loop: worker.loop)
        let loop = worker.loop
        authenticator.check(
            credentials, of: connection.judgedPeer, at: connection.listenerName
        ) { verdict in
            loop.execute { bound.value.connection?.answered(verdict) }
        }
    }

    private func answered(_ verdict: CredentialVerdict) {
        guard case .checking = state else { return }
        stream.resumeReading()
        decided(verdict)
        proceed()
    }

    private func decided(_ verdict: CredentialVerdict) {
        guard case .checking(let credentials) = state else { return }
        state = .reading
        deadline = worker.now &+ worker.configuration.headTimeoutNs
        let isAccepted = verdict == .accepted
        if isAccepted { connection.user = credentials.name }
        switch handshake.authenticated(isAccepted) {
        case .send(let bytes): stream.write(bytes)
        case .refuse(let answer, let fault):
            refuse(answer, verdict == .tooMany ? .tooManyPasswords : fault)
        case .needsMoreInput, .authenticate, .request: break
        }
    }

    // MARK: The tunnel

    private func open(_ request: SOCKSRequest) {
        let negotiation = SOCKSNegotiation(
            request, firstByteAt: firstByteAt ?? worker.now, completeAt: worker.now)
        guard worker.configuration.isConnectPortAllowed(request.port) else {
            let failure = ExchangeFailure.socks(.port(request.port))
            let tap = negotiation.openTap(on: connection, worker: worker)
            negotiation.refuse(stream, .failure(failure), recordingIn: tap)
            tap.end(.failed, failure: failure, at: worker.now)
            leave()
            return stream.close()
        }
        let opening = TunnelOpening(
            ClientTunnel(
                client: stream, connection: connection, worker: worker, negotiation: negotiation))
        state = .left
        worker.clients.replace(
            self, with: opening, over: stream,
            unread: Unread(bytes: handshake.rest, hasEnded: hasEnded))
    }

    // MARK: Endings

    private var hasLeft: Bool { if case .left = state { true } else { false } }

    private func refuse(_ answer: [UInt8], _ fault: SOCKSFault) {
        let isHTTP = (received?.first).map { (0x41...0x5A).contains($0) } ?? false
        if case .notSOCKS = fault, isHTTP {
            let response = LocalResponse.noSOCKS
            stream.write(response.bytes(requestMethod: .get, isPersistent: false))
            return fail(.socks(fault), answering: response)
        }
        stream.write(answer)
        fail(.socks(fault))
    }

    /// Records the failure and closes the connection.
    private func fail(_ failure: ExchangeFailure, answering response: LocalResponse? = nil) {
        guard !hasLeft else { return }
        let tap = worker.openTap(on: connection, firstByteAt: firstByteAt ?? worker.now)
        tap.begin(malformed: recordable)
        response?.record(in: tap, to: .get)
        tap.end(.failed, failure: failure, at: worker.now)
        leave()
        stream.close()
    }

    /// What was received, without what may be a name or a password.
    private var recordable: [UInt8] {
        guard let received else { return [] }
        switch received.first {
        // The user's name follows.
        case 4: return Array(received.prefix(8))
        case 5 where received.count > 1:
            let methodsEnd = 2 + Int(received[1])
            // A client that offers to send a password may have sent it ahead.
            let mayHavePassword = received[2..<min(methodsEnd, received.count)].contains(2)
            return mayHavePassword ? Array(received.prefix(methodsEnd)) : received
        default: return HiddenCredentials.hidden(in: received)
        }
    }

    private func leave() {
        state = .left
        deadline = .max
        worker.clients.remove(self)
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        hasEnded = true
        // Who connects and leaves, such as port scanners and health checks, is not recorded.
        guard firstByteAt != nil else {
            leave()
            return stream.close()
        }
        if case .reading = state { proceed() }
    }

    func streamDidDrain(_ stream: any DuplexStream) {}

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        guard !hasLeft else { return }
        if firstByteAt == nil { leave() } else { fail(.socksClosed) }
        stream.abort()
    }

    func deadlinePassed(now: Int64) {
        guard firstByteAt != nil else {
            leave()
            return stream.close()
        }
        fail(.socksTimedOut)
    }

    func drain() {
        guard firstByteAt == nil, !hasLeft else { return }
        leave()
        stream.close()
    }

    func terminate(_ reason: TerminationReason) {
        guard firstByteAt != nil else { return drain() }
        fail(.terminated(reason))
    }
}

/// A reference that does not keep a connection alive while its credentials are checked.
private final class WeakConnection {
    weak var connection: SOCKSConnection?

    init(_ connection: SOCKSConnection) { self.connection = connection }
}
