internal import ProxydEventLoops

/// A layer of a client's connection: it receives the connection's bytes and has a deadline.
typealias ClientLayer = DuplexStreamDelegate & Supervised

/// Makes the layer that speaks HTTP with a client. HTTP code creates tunnels, and tunnels create
/// HTTP layers through this protocol, without depending on a version.
protocol HTTPLayerMaker {
    /// Creates a layer over a stream, whose requests go to a destination.
    func layer(
        _ version: SpokenVersion, over stream: any DuplexStream, on connection: ClientConnection,
        worker: ProxyWorker,
        to destination: InboundDestination
    ) -> any ClientLayer
}

/// The HTTP version of a client connection.
enum SpokenVersion {
    /// HTTP/1.1 and HTTP/1.0.
    case http1
    case http2
}
