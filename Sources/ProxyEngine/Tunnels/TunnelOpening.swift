internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydMessages
internal import ProxydTLS
internal import ProxydTransport

/// The start of a tunnel: an actor may decide, the server is reached, the client is answered.
///
/// ```
/// asking ──▶ connecting ──reached──▶ TunnelSniffer
///    │           └── not reached, TLS may follow ──▶ TunnelExplanation
///    └───────────┴── refused, ended, client gone ──▶ left
/// ```
final class TunnelOpening: DuplexStreamDelegate, ClientLayer {
    private enum State {
        /// An actor decides whether and how to connect to the server.
        case asking(Decision<ConnectVerdict>)
        case connecting((any Cancellable)?)
        case left
    }

    private var tunnel: ClientTunnel
    private let objection: ExchangeFailure?
    private var state: State = .connecting(nil)
    private var ahead = EarlyTunnelBytes()

    let deadline: Int64 = .max
    var registryIndex = -1
    let idleSince: Int64? = nil

    /// - Parameter objection: Why the tunnel is refused; nil if it may be opened.
    init(_ tunnel: ClientTunnel, objection: ExchangeFailure? = nil) {
        self.tunnel = tunnel
        self.objection = objection
    }

    private var client: any DuplexStream { tunnel.client }
    private var connection: ClientConnection { tunnel.connection }

    func start(over stream: any DuplexStream, early: Span<UInt8>) {
        stream.delegate = self
        ahead.keep(early, from: client)
        if let objection { return refuse(.failure(objection), objection) }
        guard let actor = tunnel.parts.trafficActor else { return reach() }
        let asked = RequestedConnection(
            client: connection.id, peer: connection.peer, process: connection.record.process,
            arrival: connection.record.arrival, user: connection.user,
            host: tunnel.negotiation.host, port: tunnel.negotiation.port, isTunnel: true)
        let decision = Decision<ConnectVerdict>(
            on: connection.loop, noting: { [weak self] in self?.tunnel.events.append($0) }
        ) { [weak self] in
            self?.decided($0)
        }
        state = .asking(decision)
        actor.connect(asked, decision)
    }

    private func decided(_ verdict: ConnectVerdict) {
        guard case .asking = state else { return }
        state = .connecting(nil)
        switch verdict {
        case .pass(let route, let pace):
            tunnel.route = route
            tunnel.pace = pace
            reach()
        case .withoutServer(let route, let pace, let unread):
            tunnel.route = route
            tunnel.pace = pace
            begin(unread: unread)
        case .answer(let answer): refuse(.answer(answer), .endedByActor)
        case .end(.close, let failure):
            leave(failure)
            client.close()
        case .end(.reset, let failure): abandon(failure)
        }
    }

    /// Establishes the tunnel before its server is connected to.
    private func begin(unread: ExchangeAnswer?) {
        if let unread, !tunnel.isIntercepted(serverName: nil) {
            return refuse(.answer(unread), .endedByActor)
        }
        tunnel.server = unread == nil ? .later : .laterIfRead
        sniff(nil)
    }

    private func reach() {
        // An idle connection to the same server shows that it can be reached.
        if tunnel.isKnownToBeReached || tunnel.waitsForContent { return sniff(nil) }
        let attempt = tunnel.connect { [weak self] result in
            switch result {
            case .success(let established): self?.connected(established)
            case .failure(let failure): self?.notReached(failure)
            }
        }
        if case .connecting = state { state = .connecting(attempt) }
    }

    private func connected(_ established: EstablishedConnection) {
        guard case .connecting = state else { return established.stream.abort() }
        sniff(PreparedConnection(established))
    }

    private func notReached(_ failure: ExchangeFailure) {
        guard case .connecting = state else { return }
        guard tunnel.isExplainedInside(failure), mayBeTLS else {
            return refuse(.failure(failure), failure)
        }
        let tap = tunnel.openTap()
        tunnel.negotiation.recordRefusal(failure, in: tap)
        tap.end(.failed, failure: failure, at: connection.now)
        tunnel.negotiation.establish(client)
        state = .left
        connection.clients.replace(
            self, with: TunnelExplanation(tunnel, failure), over: client,
            unread: ahead.take(from: client))
    }

    /// Whether what the client has sent already, if anything, can be the start of TLS.
    private var mayBeTLS: Bool {
        var reader = ClientHelloReader()
        return switch TunnelProtocol.detect(ahead.bytes.span, &reader) {
        case .undecided, .tls: !ahead.hasEnded
        case .http, .opaque: false
        }
    }

    private func sniff(_ prepared: PreparedConnection?) {
        tunnel.negotiation.establish(client)
        tunnel.beginPace(&ahead)
        state = .left
        connection.clients.replace(
            self, with: TunnelSniffer(tunnel, prepared), over: client,
            unread: ahead.take(from: client))
    }

    // MARK: Endings

    private func refuse(_ refusal: Refusal, _ failure: ExchangeFailure) {
        guard case .connecting = state else { return }
        let tap = tunnel.openTap()
        tunnel.negotiation.refuse(client, refusal, recordingIn: tap)
        tap.end(.failed, failure: failure, at: connection.now)
        leave()
        client.close()
    }

    private func abandon(_ failure: ExchangeFailure) {
        switch state {
        case .asking(let decision): decision.withdraw()
        case .connecting(let attempt): attempt?.cancel()
        case .left: return
        }
        leave(failure)
        client.abort()
    }

    private func leave(_ failure: ExchangeFailure) {
        tunnel.recordFailure(failure)
        leave()
    }

    private func leave() {
        state = .left
        connection.clients.remove(self)
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        ahead.keep(bytes, from: client)
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        // What the client sent before it ended is still delivered (RFC 9110 §9.3.6).
        guard !ahead.bytes.isEmpty else { return abandon(.clientClosed) }
        ahead.hasEnded = true
    }

    func streamDidDrain(_ stream: any DuplexStream) {}

    func stream(_ stream: any DuplexStream, didFail error: StreamError) { abandon(.clientClosed) }

    func deadlinePassed(now: Int64) {}

    func drain() {}

    func terminate(_ reason: TerminationReason) { abandon(.terminated(reason)) }
}

/// Bytes that a client has sent inside a tunnel before the layer that will take them exists.
struct EarlyTunnelBytes {
    /// The number of bytes examined before protocol detection gives up: a TLS ClientHello may have
    /// 131,396, plus the record headers.
    static let byteCountMax = 256 << 10

    private(set) var bytes: [UInt8] = []
    /// Whether the client has ended its side after it sent something.
    var hasEnded = false
    private var isPaused = false

    /// Whether no more bytes will be examined.
    var isFull: Bool { bytes.count >= EarlyTunnelBytes.byteCountMax }

    /// Keeps received bytes, and pauses the client once there are many.
    mutating func keep(_ received: Span<UInt8>, from client: any DuplexStream) {
        received.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        guard isFull, !isPaused else { return }
        isPaused = true
        client.pauseReading()
    }

    /// From now on another stream replaces the client's.
    mutating func move(from old: any DuplexStream, to new: any DuplexStream) {
        keep(take(from: old).bytes.span, from: new)
    }

    /// Removes and returns everything for a layer that reads on.
    mutating func take(from client: any DuplexStream) -> Unread {
        defer { bytes = [] }
        if isPaused {
            isPaused = false
            client.resumeReading()
        }
        return Unread(bytes: bytes, hasEnded: hasEnded)
    }
}
