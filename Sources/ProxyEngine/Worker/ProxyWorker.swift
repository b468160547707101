internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// Everything that the connections of one loop share; confined to that loop.
final class ProxyWorker {
    let loop: EventLoop
    let sink: any ExchangeSink
    let transport: HTTPTransport
    let clients: ClientRegistry
    let total: ClientTotal
    let taps: TapRegistry
    let leaves: LeafCertificateCache
    /// Makes the layers that speak HTTP.
    let http: any HTTPLayerMaker
    let pages: InfoPages
    /// Replaced as a whole on reload; connections read it at each request.
    var configuration: EngineConfiguration {
        didSet {
            hasRoutes = configuration.routes != nil
            timeouts = ExchangeTimeouts(configuration)
        }
    }
    private(set) var timeouts: ExchangeTimeouts
    /// Whether upstream proxies or client certificates are configured.
    private(set) var hasRoutes: Bool
    /// Whether the proxy is stopping: connections are no longer kept alive.
    var isDraining = false
    /// Finds out which program a local client is; nil to identify none.
    let identifier: (any ClientIdentifier)?
    /// Acts on traffic; nil if nothing does.
    let actor: (any TrafficActor)?
    /// Decides which users may use a listener; nil if clients need not authenticate.
    let authenticator: (any ClientAuthenticator)?
    /// Whether any listener may need users.
    let hasUsers: Bool
    /// Recognizes redirected connections that lead back to the proxy.
    let redirections: Redirections

    init(
        loop: EventLoop, sink: any ExchangeSink, transport: HTTPTransport,
        leaves: LeafCertificateCache, http: any HTTPLayerMaker, pages: InfoPages,
        configuration: EngineConfiguration,
        identifier: (any ClientIdentifier)?, actor: (any TrafficActor)? = nil,
        authenticator: (any ClientAuthenticator)? = nil,
        redirections: Redirections = Redirections(ownAddresses: OwnAddresses()),
        total: ClientTotal = ClientTotal()
    ) {
        self.loop = loop
        self.sink = sink
        self.transport = transport
        self.leaves = leaves
        self.http = http
        self.pages = pages
        self.configuration = configuration
        hasRoutes = configuration.routes != nil
        timeouts = ExchangeTimeouts(configuration)
        self.identifier = identifier
        self.actor = actor
        self.authenticator = authenticator
        hasUsers = authenticator != nil
        self.redirections = redirections
        self.total = total
        clients = ClientRegistry(loop: loop, total: total)
        taps = TapRegistry(loop: loop)
        transport.onEstablished = { [sink] established in
            var record = ConnectionRecord(
                id: sink.nextConnectionID(), side: .server, openedAt: EventLoop.wallNow(),
                peerAddress: established.stream.peerAddress.description,
                localAddress: established.stream.localAddress.description,
                security: established.security)
            record.upstream = established.upstream
            sink.record(record)
            return record.id
        }
        transport.onHTTP2Facts = { [sink] facts, http2 in
            guard let id = facts.id else { return }
            var record = ConnectionRecord(
                id: id, side: .server, openedAt: facts.openedAt, peerAddress: facts.peerAddress,
                localAddress: facts.localAddress, security: facts.security)
            record.http2 = http2
            record.upstream = facts.upstream
            sink.record(record)
        }
    }

    var now: Int64 { loop.now }

    /// Frees file descriptors after they ran out: closes connections that are idle.
    func freeDescriptors() {
        transport.abortIdle()
        clients.closeIdle(atMost: 64, now: now)
    }

    /// Stops accepting work, lets running exchanges go on for a while, then ends them; calls back
    /// when the last connection is closed.
    func drain(forNs drainNs: Int64, completion: @escaping () -> Void) {
        isDraining = true
        transport.closeIdle()
        guard clients.count > 0 else { return completion() }
        clients.onEmpty = completion
        loop.schedule(afterNs: drainNs) { [clients] in clients.terminateAll() }
        clients.drainAll()
    }

    /// Opens the record of an exchange that starts now, and registers it for the recording tick.
    /// - Parameter destination: Where the requests of its connection go.
    func openTap(
        on connection: ClientConnection, firstByteAt: Int64,
        to destination: InboundDestination = .proxy
    ) -> ExchangeTap {
        connection.announce()
        // The anchor pairs both clocks at one instant; the exchange started slightly earlier.
        let elapsed = EventLoop.monotonicNow() &- firstByteAt
        let tap = ExchangeTap(
            sink: sink, registry: taps, clientConnection: connection.id,
            timeline: Timeline(wallStart: EventLoop.wallNow() &- elapsed, start: firstByteAt),
            keptByteCountMax: configuration.bodyCaptureByteCountMax)
        if connection.exchangeCount == 1 {
            tap.mark(.clientConnected, at: connection.acceptedAt)
            if let done = connection.tlsDoneAt { tap.mark(.clientTLSDone, at: done) }
        }
        tap.mark(.requestFirstByte, at: firstByteAt)
        if let user = connection.user { tap.setUser(user) }
        for event in destination.events { tap.record(event) }
        if connection.isPaced { tap.departure = connection }
        return tap
    }

    /// Calls back on this loop once the recorder has room again.
    func whenRecorderDrains(_ resume: @escaping () -> Void) {
        let bound = LoopBound(resume, loop: loop)
        sink.whenDrained { [loop] in loop.execute { bound.value() } }
    }

    /// Whether sources should be paused because the recorder cannot keep up.
    var isRecorderCongested: Bool { configuration.slowsClientsWhenCongested && sink.isCongested }
}

/// Accepting client connections.
extension ProxyWorker {
    /// Accepts a connection if the listener allows its client.
    /// - Parameters:
    ///   - listener: accepted it, and decides the connection's first layer.
    ///   - destination: where a redirected connection was going.
    func accept(
        _ stream: any DuplexStream, at listener: ServedListener = ServedListener(),
        redirectedFrom destination: SocketAddress? = nil
    ) {
        guard isAllowed(stream.peerAddress, at: listener),
            total.join(atMost: configuration.connectionCountMax)
        else { return stream.abort() }
        let connection = ClientConnection(
            sink: sink, peer: stream.peerAddress, local: stream.localAddress,
            arrival: ConnectionRecord.Arrival(
                listener: listener.name, mode: listener.mode.recorded,
                originalAddress: destination?.description),
            acceptedAt: now, wallNow: EventLoop.wallNow())
        identify(connection, stream: stream, destination: destination)
        if let destination { return begin(stream, connection, redirectedFrom: destination) }
        let layer =
            listener.expectsPROXYHeader
            ? PROXYHeaderReader(stream: stream, connection: connection, worker: self) { [self] in
                firstLayer(over: stream, on: connection, listener.mode)
            } : firstLayer(over: stream, on: connection, listener.mode)
        clients.begin(layer, over: stream)
        stream.resumeReading()
    }

    /// Whether a client may use a listener. A program of this machine whose connection was
    /// redirected may have any address of this machine.
    private func isAllowed(_ client: SocketAddress, at listener: ServedListener) -> Bool {
        configuration.isClientAllowed(client, listener.name)
            || listener.mode.isTransparent && LocalInterfaces.has(client)
    }

    private func firstLayer(
        over stream: any DuplexStream, on connection: ClientConnection, _ mode: ListenerMode
    ) -> any ClientLayer {
        switch mode {
        case .proxy, .transparent:
            return http.layer(.http1, over: stream, on: connection, worker: self, to: .proxy)
        case .socks: return SOCKSConnection(stream: stream, connection: connection, worker: self)
        case .reverse(let service):
            if case .none = service.clientTLS {
                let destination = ReverseDestination(
                    service: service, scheme: "http", address: stream.localAddress.description,
                    for: connection)
                return http.layer(
                    .http1, over: stream, on: connection, worker: self, to: .reverse(destination))
            }
            return ReverseHandshake(
                stream: stream, connection: connection, worker: self, service: service)
        }
    }

    /// Starts the tunnel of a redirected connection.
    private func begin(
        _ stream: any DuplexStream, _ connection: ClientConnection,
        redirectedFrom destination: SocketAddress
    ) {
        let negotiation = RedirectedConnection(to: destination, acceptedAt: connection.acceptedAt)
        let tunnel = ClientTunnel(
            client: stream, connection: connection, worker: self, negotiation: negotiation)
        let objection = redirections.objection(to: destination, from: connection.peer, now: now)
        stream.resumeReading()
        clients.begin(TunnelOpening(tunnel, objection: objection), over: stream)
    }

    private func identify(
        _ connection: ClientConnection, stream: any DuplexStream, destination: SocketAddress?
    ) {
        guard let identifier, configuration.identifiesClients,
            connection.peer.isLoopback || destination != nil
        else { return }
        let bound = LoopBound(connection, loop: loop)
        // The client's socket is connected to the address that it asked for.
        let proxy = destination ?? stream.localAddress
        identifier.identify(client: connection.peer, proxy: proxy) { [loop] process in
            guard let process else { return }
            loop.execute { bound.value.setProcess(process) }
        }
    }
}
