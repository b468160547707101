internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// A client's request to speak another protocol on its stream (RFC 8441), until a tunnel takes
/// over. What the client sends before the server has agreed is held. Confined to its loop.
final class ExtendedConnect {
    /// The value of `:protocol`.
    let name: String
    private let request: RequestHead
    private let worker: ProxyWorker
    /// What the client has sent in the new protocol; bounded by the stream's window.
    private var ahead: [UInt8] = []
    /// Whether it counts as a client connection, since a tunnel lasts as long as one.
    private var isCounted = false

    /// Returns nil if the request does not ask for another protocol.
    init?(_ request: RequestHead, worker: ProxyWorker) {
        guard let name = request.connectProtocol else { return nil }
        self.name = name
        self.request = request
        self.worker = worker
    }

    /// Counts it as a client connection; returns false if the limit is reached.
    func findRoom() -> Bool {
        isCounted = worker.clients.hasRoom(atMost: worker.configuration.connectionCountMax)
        return isCounted
    }

    /// Holds bytes from the client until the tunnel starts.
    func hold(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { ahead.append(contentsOf: $0) }
    }

    /// Starts the tunnel once the server has agreed with a response head; `early` is what the
    /// server has sent after it. The tunnel counts as a client connection itself.
    func begin(
        _ stream: HTTP2ByteStream, joining server: any DuplexStream, _ head: ResponseHead,
        early: Span<UInt8>, on connection: ClientConnection, tap: ExchangeTap,
        pace: (any PaceActor)?
    ) {
        isCounted = false
        let observer = worker.observer(
            of: name, request: request.fields, response: head.fields, tap: tap)
        let tunnel = TunnelLayer(
            client: stream, server: server,
            sentFirst: early.array, worker: worker,
            connection: connection, tap: tap, pace: pace, observer: observer)
        let unread = Unread(bytes: ahead)
        ahead = []
        worker.clients.begin(tunnel, over: stream, unread: unread)
    }

    /// Releases everything when the stream has ended.
    func giveUp() {
        ahead = []
        if isCounted { worker.clients.giveRoomBack() }
        isCounted = false
    }
}
