internal import ProxydEventLoops
internal import ProxydHTTPModel

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
        let negotiation = RedirectedConnection(
            to: destination, acceptedAt: connection.acceptedAt)
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
