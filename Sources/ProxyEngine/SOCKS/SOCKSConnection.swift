internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydMessages

/// The handshake with a SOCKS client, after which its connection is a tunnel like one of CONNECT.
///
/// ```
/// reading ──credentials──▶ checking ──▶ reading ──request──▶ TunnelOpening
///    └──── refused, ended, too slow ────┴───▶ left
/// ```
final class SOCKSConnection: DuplexStreamDelegate, ClientLayer {
    private enum State {
        case reading
        case checking(ClientCredentials)
        case left
    }

    private let stream: any DuplexStream
    private let connection: ClientConnection
    private let tunnels: TunnelParts
    private let authenticator: (any ClientAuthenticator)?
    private var handshake: SOCKSHandshake
    private var state = State.reading
    /// What the client has sent, for the record of a refusal; nil once it may send a password.
    private var received: [UInt8]? = []
    private var firstByteAt: Int64?
    private var hasEnded = false

    private(set) var deadline: Int64
    var registryIndex = -1

    /// The number of received bytes that are recorded of a handshake that fails.
    private static let recordedByteCountMax = 4_096

    init(
        stream: any DuplexStream, connection: ClientConnection, tunnels: TunnelParts,
        authenticator: (any ClientAuthenticator)?
    ) {
        self.stream = stream
        self.connection = connection
        self.tunnels = tunnels
        self.authenticator = authenticator
        let isRequired = authenticator?.isRequired(by: connection.listenerName) ?? false
        handshake = SOCKSHandshake(requiresPassword: isRequired)
        deadline = connection.now &+ connection.configuration.headTimeoutNs
    }

    var idleSince: Int64? { firstByteAt == nil ? connection.acceptedAt : nil }

    // MARK: Input

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        guard !hasLeft else { return }
        if firstByteAt == nil { firstByteAt = connection.now }
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
        guard let authenticator else { return decided(.rejected) }
        // What a client sends ahead waits in the kernel. The time that this takes is ours.
        stream.pauseReading()
        deadline = .max
        let bound = LoopBound(WeakConnection(self), loop: connection.loop)
        let loop = connection.loop
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
        deadline = connection.now &+ connection.configuration.headTimeoutNs
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
            request, firstByteAt: firstByteAt ?? connection.now, completeAt: connection.now)
        guard connection.configuration.isConnectPortAllowed(request.port) else {
            let failure = ExchangeFailure.socks(.port(request.port))
            let tap = negotiation.openTap(on: connection)
            negotiation.refuse(stream, .failure(failure), recordingIn: tap)
            tap.end(.failed, failure: failure, at: connection.now)
            leave()
            return stream.close()
        }
        let opening = TunnelOpening(
            ClientTunnel(
                client: stream, connection: connection, parts: tunnels, negotiation: negotiation))
        state = .left
        connection.clients.replace(
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
        let tap = connection.openTap(firstByteAt: firstByteAt ?? connection.now)
        tap.begin(malformed: recordable)
        response?.record(in: tap, to: .get)
        tap.end(.failed, failure: failure, at: connection.now)
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
        connection.clients.remove(self)
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

/// A request for a connection by SOCKS 4, 4a or 5.
struct SOCKSNegotiation: Negotiation {
    private let request: SOCKSRequest
    /// When the first byte of the handshake arrived, on the monotonic clock.
    private let firstByteAt: Int64
    /// When the request was complete, on the monotonic clock.
    private let completeAt: Int64

    init(_ request: SOCKSRequest, firstByteAt: Int64, completeAt: Int64) {
        self.request = request
        self.firstByteAt = firstByteAt
        self.completeAt = completeAt
    }

    var host: String { request.host }
    var port: UInt16 { request.port }

    func openTap(on connection: ClientConnection) -> ExchangeTap {
        connection.openTunnelTap(
            host: host, port: port, firstByteAt: firstByteAt, completeAt: completeAt)
    }

    func establish(_ client: any DuplexStream) { client.write(SOCKSReply.success(request.version)) }

    /// The reply is no HTTP response.
    func recordEstablished(in tap: ExchangeTap) {}

    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap) {
        client.write(SOCKSReply.refusal(request.version, refusal))
    }
}

/// Why a SOCKS client is refused before it has named a server that could be connected to.
enum SOCKSFault: Error, Equatable {
    case notSOCKS
    case malformed
    case noMethod
    case noPassword
    case wrongPassword
    case tooManyPasswords
    case command
    case addressKind
    case port(UInt16)
}

extension ExchangeFailure {
    static func socks(_ fault: SOCKSFault) -> ExchangeFailure {
        ExchangeFailure(origin: fault.origin, kind: fault.kind, message: fault.message)
    }

    static let socksTimedOut = ExchangeFailure(
        origin: .client, kind: .timedOut,
        message: "the client did not complete its SOCKS handshake in time")

    static let socksClosed = ExchangeFailure(
        origin: .client, kind: .closedEarly,
        message: "the client closed the connection inside its SOCKS handshake")
}

extension SOCKSFault {
    fileprivate var origin: ExchangeFailure.Origin {
        if case .port = self { .proxy } else { .client }
    }

    fileprivate var kind: ExchangeFailure.Kind {
        switch self {
        case .notSOCKS, .malformed, .noMethod, .command, .addressKind: .malformedRequest
        case .noPassword, .wrongPassword, .tooManyPasswords, .port: .refused
        }
    }

    fileprivate var message: String {
        switch self {
        case .notSOCKS: "the client does not speak SOCKS, which this listener requires"
        case .malformed: "the client's SOCKS handshake is not valid"
        case .noMethod: "the client offers no way to authenticate that SOCKS clients here need"
        case .noPassword: "the client offers no name and password, which this listener requires"
        case .wrongPassword: "the name or the password is wrong"
        case .tooManyPasswords: "too many wrong passwords: none is checked for a while"
        case .command: "the client asked for another SOCKS command than CONNECT"
        case .addressKind: "the client sent an address of an unknown kind"
        case .port(let port): "connections to port \(port) are not allowed by the configuration"
        }
    }
}
