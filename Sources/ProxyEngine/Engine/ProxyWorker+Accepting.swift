internal import ProxydEventLoops
internal import ProxydHTTPModel

/// Accepting client connections.
extension ProxyWorker {
    /// Accepts a connection if the listener allows its client.
    /// - Parameters:
    ///   - listener: the name of the listener that accepted it.
    ///   - mode: decides the connection's first layer.
    func accept(
        _ stream: any DuplexStream, listener: String = "", mode: ListenerMode = .proxy
    ) {
        guard configuration.isClientAllowed(stream.peerAddress, listener),
            total.join(atMost: configuration.connectionCountMax)
        else { return stream.abort() }
        let connection = ClientConnection(
            sink: sink, peer: stream.peerAddress, local: stream.localAddress, acceptedAt: now,
            wallNow: EventLoop.wallNow())
        identify(connection, stream: stream)
        let layer = firstLayer(over: stream, on: connection, mode)
        clients.add(layer)
        stream.delegate = layer
        stream.resumeReading()
    }

    private func firstLayer(
        over stream: any DuplexStream, on connection: ClientConnection, _ mode: ListenerMode
    ) -> any ClientLayer {
        switch mode {
        case .proxy:
            http.layer(.http1, over: stream, on: connection, worker: self, to: .proxy)
        }
    }

    private func identify(_ connection: ClientConnection, stream: any DuplexStream) {
        guard let identifier, configuration.identifiesClients, connection.peer.isLoopback else {
            return
        }
        let bound = LoopBound(connection, loop: loop)
        identifier.identify(client: connection.peer, proxy: stream.localAddress) { [loop] process in
            guard let process else { return }
            loop.execute { bound.value.setProcess(process) }
        }
    }
}
