internal import ProxydEventLoops

/// Makes the layers for the HTTP versions that clients may speak.
struct HTTPLayers: HTTPLayerMaker {
    func layer(
        _ version: SpokenVersion, over stream: any DuplexStream, on connection: ClientConnection,
        worker: ProxyWorker,
        to destination: InboundDestination
    ) -> any ClientLayer {
        switch version {
        case .http1:
            HTTP1ServerConnection(
                stream: stream, connection: connection, worker: worker, destination: destination)
        case .http2:
            HTTP2ServerConnection(
                stream: stream, connection: connection, worker: worker, destination: destination)
        }
    }
}
