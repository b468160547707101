internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// A client's wish to speak another protocol on its stream (RFC 8441), until a tunnel has the
/// stream. What the client says before the server has agreed is held. Confined to its loop.
final class ExtendedConnect {
    /// The protocol.
    let name: String
    private let request: RequestHead
    private let worker: ProxyWorker
    /// What the client has said in the protocol; its window bounds it.
    private var ahead: [UInt8] = []
    /// Whether it counts among the clients: a tunnel lasts as a connection does.
    private var isCounted = false

    /// The wish of a request; nil where it asks for no protocol.
    init?(_ request: RequestHead, worker: ProxyWorker) {
        guard let name = request.connectProtocol else { return nil }
        self.name = name
        self.request = request
        self.worker = worker
    }

    /// Counts it among the clients; false where there is no room for one more.
    func findRoom() -> Bool {
        isCounted = worker.clients.hasRoom(atMost: worker.configuration.connectionCountMax)
        return isCounted
    }

    /// Holds what the client says.
    func hold(_ octets: Span<UInt8>) {
        octets.withUnsafeBufferPointer { ahead.append(contentsOf: $0) }
    }

    /// Makes the tunnel of a stream whose server has agreed with a head. It counts for itself.
    func tunnel(
        _ stream: HTTP2ByteStream, joining server: any DuplexStream, _ head: ResponseHead,
        on connection: ClientConnection, tap: ExchangeTap, pace: (any PaceActor)?,
        end: @escaping (ExchangeState, ExchangeFailure?) -> Void
    ) -> TunnelLayer {
        isCounted = false
        let observer = worker.observer(
            of: name, request: request.fields, response: head.fields, tap: tap)
        let tunnel = TunnelLayer(
            client: stream, server: server, worker: worker, connection: connection, tap: tap,
            pace: pace, observer: observer, endRecord: end)
        worker.clients.add(tunnel)
        stream.delegate = tunnel
        return tunnel
    }

    /// Starts the tunnel with what both sides have said ahead.
    func start(_ tunnel: TunnelLayer, early: Span<UInt8>) {
        let held = ahead
        ahead = []
        tunnel.start(fromClient: held.span, fromServer: early)
    }

    /// The stream is over.
    func giveUp() {
        ahead = []
        if isCounted { worker.clients.giveRoomBack() }
        isCounted = false
    }
}
