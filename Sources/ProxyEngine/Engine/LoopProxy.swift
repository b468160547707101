internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTLS
internal import ProxydTransport

/// The proxy on one event loop: it accepts clients, and makes what their connections share.
/// Confined to its loop.
final class LoopProxy {
    let loop: EventLoop
    let settings: LoopSettings
    let clients: ClientRegistry
    let transport: HTTPTransport
    let recorder: LoopRecorder
    private let tunnels: TunnelParts
    private let total: ClientTotal
    /// Finds out which program a local client is; nil to identify none.
    private let identifier: (any ClientIdentifier)?
    private let authenticator: (any ClientAuthenticator)?
    private let redirections: Redirections

    init(
        loop: EventLoop, sink: any ExchangeSink, transport: HTTPTransport,
        leaves: LeafCertificateCache, pages: InfoPages, configuration: EngineConfiguration,
        identifier: (any ClientIdentifier)?, actor: (any TrafficActor)? = nil,
        authenticator: (any ClientAuthenticator)? = nil,
        redirections: Redirections = Redirections(ownAddresses: OwnAddresses()),
        total: ClientTotal = ClientTotal()
    ) {
        self.loop = loop
        self.transport = transport
        self.identifier = identifier
        self.authenticator = authenticator
        self.redirections = redirections
        self.total = total
        settings = LoopSettings(configuration)
        clients = ClientRegistry(loop: loop, total: total)
        recorder = LoopRecorder(loop: loop, sink: sink, settings: settings)
        let http = HTTPParts(
            access: UserAccess(authenticator), pages: pages,
            ports: EnginePorts(loop: loop, settings: settings, transport: transport, actor: actor))
        tunnels = TunnelParts(
            transport: transport, leaves: leaves, actor: actor, http: HTTPLayers(parts: http))
        transport.recordConnections(in: sink)
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
        transport.closeIdle()
        clients.drain(forNs: drainNs, completion: completion)
    }
}

extension HTTPTransport {
    /// Records the connections to servers, and what HTTP/2 tells about them.
    fileprivate func recordConnections(in sink: any ExchangeSink) {
        onEstablished = { established in
            var record = ConnectionRecord(
                id: sink.nextConnectionID(), side: .server, openedAt: EventLoop.wallNow(),
                peerAddress: established.stream.peerAddress.description,
                localAddress: established.stream.localAddress.description,
                security: established.security)
            record.upstream = established.upstream
            sink.record(record)
            return record.id
        }
        onHTTP2Facts = { facts, http2 in
            guard let id = facts.id else { return }
            var record = ConnectionRecord(
                id: id, side: .server, openedAt: facts.openedAt, peerAddress: facts.peerAddress,
                localAddress: facts.localAddress, security: facts.security)
            record.http2 = http2
            record.upstream = facts.upstream
            sink.record(record)
        }
    }
}

extension LoopProxy {
    /// Accepts a connection if the listener allows its client.
    /// - Parameter destination: where a redirected connection was going.
    func accept(
        _ stream: any DuplexStream, at listener: ServedListener = ServedListener(),
        redirectedFrom destination: SocketAddress? = nil
    ) {
        guard isAllowed(stream.peerAddress, at: listener),
            total.join(atMost: settings.configuration.connectionCountMax)
        else { return stream.abort() }
        let connection = ClientConnection(
            among: clients, settings: settings, recorder: recorder, peer: stream.peerAddress,
            local: stream.localAddress,
            arrival: ConnectionRecord.Arrival(
                listener: listener.name, mode: listener.mode.recorded,
                originalAddress: destination?.description))
        identify(connection, stream: stream, destination: destination)
        if let destination { return begin(stream, connection, redirectedFrom: destination) }
        let layer =
            listener.expectsPROXYHeader
            ? PROXYHeaderReader(stream: stream, connection: connection) { [self] in
                firstLayer(over: stream, on: connection, listener.mode)
            } : firstLayer(over: stream, on: connection, listener.mode)
        clients.begin(layer, over: stream)
        stream.resumeReading()
    }

    /// Whether a client may use a listener. A program of this machine whose connection was
    /// redirected may have any address of this machine.
    private func isAllowed(_ client: SocketAddress, at listener: ServedListener) -> Bool {
        settings.configuration.isClientAllowed(client, listener.name)
            || listener.mode.isTransparent && LocalInterfaces.has(client)
    }

    private func firstLayer(
        over stream: any DuplexStream, on connection: ClientConnection, _ mode: ListenerMode
    ) -> any ClientLayer {
        switch mode {
        case .proxy, .transparent:
            return tunnels.httpLayer(.http1, over: stream, on: connection, to: .proxy)
        case .socks:
            return SOCKSConnection(
                stream: stream, connection: connection, tunnels: tunnels,
                authenticator: authenticator)
        case .reverse(let service):
            if case .none = service.clientTLS {
                let destination = ReverseDestination(
                    service: service, scheme: "http", address: stream.localAddress.description,
                    for: connection)
                return tunnels.httpLayer(
                    .http1, over: stream, on: connection, to: .reverse(destination))
            }
            return ReverseHandshake(
                stream: stream, connection: connection, tunnels: tunnels, service: service)
        }
    }

    private func begin(
        _ stream: any DuplexStream, _ connection: ClientConnection,
        redirectedFrom destination: SocketAddress
    ) {
        let negotiation = RedirectedConnection(to: destination, acceptedAt: connection.acceptedAt)
        let tunnel = ClientTunnel(
            client: stream, connection: connection, parts: tunnels, negotiation: negotiation)
        let objection = redirections.objection(to: destination, from: connection.peer, now: now)
        stream.resumeReading()
        clients.begin(TunnelOpening(tunnel, objection: objection), over: stream)
    }

    private func identify(
        _ connection: ClientConnection, stream: any DuplexStream, destination: SocketAddress?
    ) {
        guard let identifier, settings.configuration.identifiesClients,
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

/// A listener: its name, and what its clients find.
public struct ServedListener: Sendable {
    /// Identifies the listener in records, and when the configuration is asked about a client.
    public let name: String
    public let mode: ListenerMode
    /// Whether each connection starts with a header of the PROXY protocol.
    public let expectsPROXYHeader: Bool

    public init(name: String = "", mode: ListenerMode = .proxy, expectsPROXYHeader: Bool = false) {
        self.name = name
        self.mode = mode
        self.expectsPROXYHeader = expectsPROXYHeader
    }
}

/// What clients find at a listener.
public enum ListenerMode: Sendable {
    /// A proxy: requests name their servers, and CONNECT asks for tunnels.
    case proxy
    /// A SOCKS server: clients ask for connections to servers by SOCKS 4, 4a or 5.
    case socks
    /// The server that each client meant: the kernel has redirected its connection.
    case transparent
    /// One server, whose place the proxy takes.
    case reverse(ReverseService)

    var isTransparent: Bool { if case .transparent = self { true } else { false } }

    var recorded: ConnectionRecord.Arrival.Mode {
        switch self {
        case .proxy: .proxy
        case .socks: .socks
        case .transparent: .transparent
        case .reverse: .reverse
        }
    }
}

/// Makes the layers for the HTTP versions that clients may speak.
struct HTTPLayers: HTTPLayerMaker {
    let parts: HTTPParts

    func layer(
        _ version: SpokenVersion, over stream: any DuplexStream, on connection: ClientConnection,
        to destination: InboundDestination, tunnels: TunnelParts
    ) -> any ClientLayer {
        switch version {
        case .http1:
            HTTP1ServerConnection(
                stream: stream, connection: connection, destination: destination, parts: parts,
                tunnels: tunnels)
        case .http2:
            HTTP2ServerConnection(
                stream: stream, connection: connection, destination: destination, parts: parts,
                tunnels: tunnels)
        }
    }
}
