internal import ProxydEventLoops

/// A layer of a client's connection: it takes what comes, and is looked after.
typealias ClientLayer = DuplexStreamDelegate & Supervised

/// Makes the layer that speaks HTTP with a client. HTTP leads to a tunnel, and a tunnel to HTTP:
/// this is the way back, which knows no version.
protocol HTTPLayerMaker {
    /// A layer over a stream, whose requests go to a destination.
    func layer(
        _ version: SpokenVersion, over stream: any DuplexStream, on connection: ClientConnection,
        worker: ProxyWorker,
        to destination: InboundDestination
    ) -> any ClientLayer
}

/// Which HTTP is spoken on a connection.
enum SpokenVersion {
    /// HTTP/1.1 and before.
    case http1
    case http2
}
