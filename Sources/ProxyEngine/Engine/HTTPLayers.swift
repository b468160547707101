internal import ProxydEventLoops

/// The versions of HTTP that clients may speak.
struct HTTPLayers: HTTPLayerMaker {
    func layer(
        over stream: any DuplexStream, on connection: ClientConnection, worker: ProxyWorker,
        to destination: InboundDestination
    ) -> any ClientLayer {
        HTTP1ServerConnection(
            stream: stream, connection: connection, worker: worker, destination: destination)
    }
}
