internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTLS
internal import ProxydTransport

/// Detects the protocol in an established tunnel.
///
/// ```
/// peeking ──TLS, to be read──▶ TLSInterception
///    │ ├── HTTP ──▶ HTTP
///    │ └── anything else, server speaks first (not HTTP/2) ──▶ TunnelLayer
///    └──no server connection──▶ connecting ──▶ peeking or TunnelLayer
/// ```
/// A silent client decides nothing: it may be slow, or far away, or may have opened the tunnel for
/// later use. The proxy only makes sure that the server can speak first.
final class TunnelSniffer: DuplexStreamDelegate, ClientLayer {
    private enum State {
        case peeking(PreparedConnection?)
        /// The proxy negotiates a protocol with the server.
        case agreeing((any Cancellable)?)
        case connecting((any Cancellable)?)
        case left
    }

    private let tunnel: ClientTunnel
    private var state: State
    private var ahead = EarlyTunnelBytes()
    private var helloReader = ClientHelloReader()
    /// Whether the client sent nothing during the time in which clients that speak first do.
    private var isSilent = false
    /// Whether the rest of a ClientHello or of a request line was already given more time.
    private var isRestAwaited = false

    private(set) var deadline: Int64 = .max
    var registryIndex = -1
    let idleSince: Int64? = nil

    /// - Parameter prepared: The connection to the server. Without one, an idle connection has
    ///   shown that the server can be reached, or it is not needed yet.
    init(_ tunnel: ClientTunnel, _ prepared: PreparedConnection?) {
        self.tunnel = tunnel
        state = .peeking(prepared)
    }

    private var client: any DuplexStream { tunnel.client }
    private var connection: ClientConnection { tunnel.connection }

    func start(over stream: any DuplexStream, early: Span<UInt8>) {
        guard case .peeking(let prepared) = state else { return }
        stream.delegate = self
        ahead.keep(early, from: client)
        peek(prepared)
    }

    private func peek(_ prepared: PreparedConnection?) {
        state = .peeking(prepared)
        let isWaiting = isSilent && ahead.bytes.isEmpty
        deadline =
            connection.now
            &+ (isWaiting
                ? connection.configuration.tunnelIdleTimeoutNs
                : connection.configuration.peekTimeoutNs)
        prepared?.onServerSpoke = { [weak self] bytes in
            self?.relay(fromServer: bytes.array)
        }
        prepared?.onLost = { [weak self] in self?.serverLeft() }
        if prepared?.hasServerSpoken == true { return relay() }
        decide()
        relayIfEnded()
    }

    // MARK: Deciding

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        let isFirst = ahead.bytes.isEmpty
        ahead.keep(bytes, from: client)
        guard case .peeking = state else { return }
        if isSilent, isFirst { deadline = connection.now &+ connection.configuration.peekTimeoutNs }
        decide()
    }

    private func decide() {
        switch TunnelProtocol.detect(ahead.bytes.span, &helloReader) {
        case .undecided where !ahead.isFull: break
        // A ClientHello in records of a few bytes each: OpenSSL can read it.
        case .undecided where isHelloBegun: takeUp(serverName: nil, alpn: [])
        case .tls(let serverName, let alpn): takeUp(serverName: serverName, alpn: alpn)
        case .http: readHTTP()
        case .undecided, .opaque: relay()
        }
    }

    /// Whether the client's bytes are the start of a TLS ClientHello.
    private var isHelloBegun: Bool { !ahead.bytes.isEmpty && helloReader.isUnderWay }

    private func takeUp(serverName: String?, alpn: [String]) {
        if tunnel.isIntercepted(serverName: serverName) {
            intercept(serverName, alpn)
        } else {
            relay(serverName: serverName)
        }
    }

    func deadlinePassed(now: Int64) {
        guard case .peeking(let prepared) = state else { return }
        if !ahead.bytes.isEmpty {
            // Any protocol but a delayed ClientHello or request would have been detected.
            let isRequest = TunnelProtocol.isRequestBegun(ahead.bytes.span)
            guard tunnel.isIntercepted(serverName: nil), isHelloBegun || isRequest else {
                return relay()
            }
            guard !isRestAwaited else {
                return isRequest ? readHTTP() : fail(.helloTimedOut, prepared)
            }
            isRestAwaited = true
            deadline = now &+ connection.configuration.handshakeTimeoutNs
        } else if !isSilent {
            isSilent = true
            deadline = now &+ connection.configuration.tunnelIdleTimeoutNs
            if prepared == nil, tunnel.server == .needed { connect { $0.peek($1) } }
        } else {
            endUnused(prepared)
        }
    }

    private func serverLeft() {
        guard case .peeking = state else { return }
        if isSilent, ahead.bytes.isEmpty { return endUnused(nil) }
        // The client has not spoken yet; the next layer will find out that the server has left.
        state = .peeking(nil)
    }

    // MARK: What comes next

    private func readHTTP() {
        guard case .peeking(let prepared) = state else { return }
        let layer = tunnel.parts.httpLayer(
            .http1, over: client, on: connection,
            to: tunnel.destination(scheme: "http", serverName: nil, prepared: prepared))
        leave(replacedBy: layer)
    }

    /// Negotiates with the server before the client is answered: the client should get the protocol
    /// that it would get without the proxy.
    private func intercept(_ serverName: String?, _ alpn: [String]) {
        guard case .peeking(let prepared) = state else { return }
        let offered = ProtocolOffer(alpn)
        guard offered.hasHTTP2 else { return intercept(serverName, .http1, offered, prepared) }
        guard tunnel.server == .needed else {
            return intercept(serverName, offered.first, offered, prepared)
        }
        let target = tunnel.interceptedTarget(serverName, alpn: offered.names)
        if let spoken = tunnel.parts.transport.spoken(by: target) {
            return intercept(serverName, spoken, offered, prepared)
        }
        prepared?.onServerSpoke = nil
        prepared?.onLost = nil
        deadline = .max
        state = .agreeing(nil)
        let attempt = tunnel.parts.transport.agree(on: target, over: prepared) { [weak self] in
            self?.agreed($0, serverName, offered)
        }
        if case .agreeing = state { state = .agreeing(attempt) }
    }

    private func agreed(
        _ result: Result<AgreedConnection, ExchangeFailure>, _ serverName: String?,
        _ offered: ProtocolOffer
    ) {
        guard case .agreeing = state else { return }
        switch result {
        case .success(let agreed):
            let prepared = agreed.unused.map(PreparedConnection.init)
            state = .peeking(prepared)
            intercept(serverName, agreed.spoken, offered, prepared)
        // Each request will meet the same failure and be answered with it.
        case .failure:
            state = .peeking(nil)
            intercept(serverName, offered.first, offered, nil)
        }
    }

    private func intercept(
        _ serverName: String?, _ spoken: SpokenProtocol, _ offered: ProtocolOffer,
        _ prepared: PreparedConnection?
    ) {
        let context: TLSServerContext
        do {
            context = try tunnel.parts.leaves.serverContext(for: tunnel.verifiedName(serverName))
        } catch {
            return fail(.leafNotMade("\(error)"), prepared)
        }
        let interception = TLSInterception(
            tunnel, context, serverName: serverName, prepared: prepared, spoken: spoken,
            offered: offered)
        leave(replacedBy: interception)
    }

    private func relay(fromServer bytes: [UInt8] = [], serverName: String? = nil) {
        guard case .peeking(let prepared) = state else { return }
        guard tunnel.server != .laterIfRead else { return fail(.endedByActor, prepared) }
        if let serverName { connection.noteServerName(serverName) }
        guard let established = prepared?.take() else {
            return connect { sniffer, prepared in
                sniffer.state = .peeking(prepared)
                sniffer.relay()
            }
        }
        let layer = TunnelLayer(
            client: client, server: established.stream, sentFirst: established.early + bytes,
            connection: connection, tap: tunnel.openTap(established))
        leave(replacedBy: layer)
    }

    /// Connects to the server: the connection was lost, or never made because an idle one had shown
    /// that the server can be reached.
    private func connect(then proceed: @escaping (TunnelSniffer, PreparedConnection) -> Void) {
        deadline = .max
        state = .connecting(nil)
        let attempt = tunnel.connect { [weak self] result in
            guard let self, case .connecting = self.state else { return }
            switch result {
            case .success(let established): proceed(self, PreparedConnection(established))
            case .failure(let failure): self.fail(failure, nil)
            }
        }
        if case .connecting = state { state = .connecting(attempt) }
    }

    // MARK: Endings

    private func leave(replacedBy layer: (any ClientLayer)? = nil) {
        state = .left
        deadline = .max
        if let layer {
            connection.clients.replace(
                self, with: layer, over: client, unread: ahead.take(from: client))
        } else {
            connection.clients.remove(self)
        }
    }

    private func fail(_ failure: ExchangeFailure, _ prepared: PreparedConnection?) {
        tunnel.recordFailure(failure)
        prepared?.discard()
        leave()
        client.close()
    }

    /// Ends an established tunnel that carried nothing.
    private func endUnused(_ prepared: PreparedConnection?) {
        let established = prepared?.take()
        let tap = established.map(tunnel.openTap) ?? tunnel.openTap()
        if established == nil { tunnel.negotiation.recordEstablished(in: tap) }
        established?.stream.close()
        tap.end(.tunnel, at: connection.now)
        leave()
        client.close()
    }

    private func abandon(_ failure: ExchangeFailure) {
        switch state {
        case .peeking(let prepared) where isSilent && ahead.bytes.isEmpty: endUnused(prepared)
        case .peeking(let prepared): fail(failure, prepared)
        case .connecting(let attempt), .agreeing(let attempt):
            attempt?.cancel()
            tunnel.recordFailure(failure)
            leave()
            client.abort()
        case .left: break
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        // What the client sent before it ended is still delivered (RFC 9110 §9.3.6).
        guard !ahead.bytes.isEmpty else { return abandon(.clientClosed) }
        ahead.hasEnded = true
        relayIfEnded()
    }

    /// Relays the bytes of a client that has ended: no further byte will reveal the protocol.
    private func relayIfEnded() {
        if ahead.hasEnded, case .peeking = state { relay() }
    }

    func streamDidDrain(_ stream: any DuplexStream) {}

    func stream(_ stream: any DuplexStream, didFail error: StreamError) { abandon(.clientClosed) }

    func drain() {
        guard case .peeking(let prepared) = state, isSilent, ahead.bytes.isEmpty else { return }
        endUnused(prepared)
    }

    func terminate(_ reason: TerminationReason) { abandon(.terminated(reason)) }
}
