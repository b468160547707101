internal import ProxydEventLoops

/// A layer of a client's connection: it takes what comes, and is looked after.
typealias ClientLayer = DuplexStreamDelegate & Supervised

/// Makes the layer that speaks HTTP with a client. HTTP leads to a tunnel, and a tunnel to HTTP:
/// this is the way back, which knows no version.
protocol HTTPLayerMaker {
    /// A layer over a stream, whose requests go to a destination.
    func layer(
        over stream: any DuplexStream, on connection: ClientConnection, worker: ProxyWorker,
        to destination: InboundDestination
    ) -> any ClientLayer
}
