internal import ProxydEventLoops
internal import ProxydTLS
internal import ProxydTransport

/// What the tunnels of one loop are made with. Confined to the loop.
final class TunnelParts {
    let transport: HTTPTransport
    let leaves: LeafCertificateCache
    let trafficActor: (any TrafficActor)?
    private let http: any HTTPLayerMaker

    init(
        transport: HTTPTransport, leaves: LeafCertificateCache, actor: (any TrafficActor)?,
        http: any HTTPLayerMaker
    ) {
        self.transport = transport
        self.leaves = leaves
        self.trafficActor = actor
        self.http = http
    }

    /// Creates a layer that speaks HTTP over a stream, whose requests go to a destination.
    func httpLayer(
        _ version: SpokenVersion, over stream: any DuplexStream, on connection: ClientConnection,
        to destination: InboundDestination
    ) -> any ClientLayer {
        http.layer(version, over: stream, on: connection, to: destination, tunnels: self)
    }
}

/// Makes the layer that speaks HTTP with a client. HTTP code creates tunnels, and tunnels create
/// HTTP layers through this protocol, without depending on a version.
protocol HTTPLayerMaker {
    /// Creates a layer over a stream, whose requests go to a destination, and whose tunnels are
    /// made with `tunnels`.
    func layer(
        _ version: SpokenVersion, over stream: any DuplexStream, on connection: ClientConnection,
        to destination: InboundDestination, tunnels: TunnelParts
    ) -> any ClientLayer
}

/// The HTTP version of a client connection.
enum SpokenVersion {
    /// HTTP/1.1 and HTTP/1.0.
    case http1
    case http2
}
