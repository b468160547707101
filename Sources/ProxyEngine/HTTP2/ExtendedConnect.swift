internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// A client's request to speak another protocol on its stream (RFC 8441), until a tunnel takes
/// over. What the client sends before the server has agreed is kept. Confined to its loop.
final class ExtendedConnect {
    /// The value of `:protocol`.
    let name: String
    private let request: RequestHead
    private let connection: ClientConnection
    /// What the client has sent in the new protocol; bounded by the stream's window.
    private var ahead: [UInt8] = []
    /// Whether it counts as a client connection, since a tunnel lasts as long as one.
    private var isCounted = false

    /// Returns nil if the request does not ask for another protocol.
    init?(_ request: RequestHead, on connection: ClientConnection) {
        guard let name = request.connectProtocol else { return nil }
        self.name = name
        self.request = request
        self.connection = connection
    }

    /// Counts it as a client connection; returns false if the limit is reached.
    func findRoom() -> Bool {
        isCounted = connection.clients.hasRoom(atMost: connection.configuration.connectionCountMax)
        return isCounted
    }

    func buffer(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { ahead.append(contentsOf: $0) }
    }

    /// Starts the tunnel once the server has agreed with a response head; `early` is what the
    /// server has sent after it. The tunnel counts as a client connection itself.
    func begin(
        _ stream: HTTP2ByteStream, joining server: any DuplexStream, _ head: ResponseHead,
        early: Span<UInt8>, tap: ExchangeTap, pace: (any PaceActor)?
    ) {
        isCounted = false
        let observer = connection.observer(
            of: name, request: request.fields, response: head.fields, tap: tap)
        let tunnel = TunnelLayer(
            client: stream, server: server, sentFirst: early.array, connection: connection,
            tap: tap, pace: pace, observer: observer)
        let unread = Unread(bytes: ahead)
        ahead = []
        connection.clients.begin(tunnel, over: stream, unread: unread)
    }

    /// Releases everything when the stream has ended.
    func giveUp() {
        ahead = []
        if isCounted { connection.clients.giveRoomBack() }
        isCounted = false
    }
}

/// CONNECT on an HTTP/2 stream (RFC 9113 §8.5): the request is the same as in HTTP/1, the answers
/// are heads on the stream.
struct HTTP2ConnectNegotiation: Negotiation {
    let request: ConnectNegotiation
    let link: HTTP2Link
    let stream: StreamID

    var host: String { request.host }
    var port: UInt16 { request.port }

    var mayBeEstablishedEarly: Bool { false }

    func openTap(on connection: ClientConnection) -> ExchangeTap {
        let tap = request.openTap(on: connection)
        tap.setHTTP2 { $0.clientStream = stream }
        tap.frames = link.frameLog(of: stream)
        return tap
    }

    /// The response that establishes the tunnel, without framing fields (RFC 9110 §9.3.6).
    private static let established = ForwardedResponse(
        head: ResponseHead(version: .http2, status: 200, reason: "", fields: HeaderFields()),
        body: .untilClose)

    func establish(_ client: any DuplexStream) {
        link.send(HTTP2ConnectNegotiation.established, on: stream)
    }

    func recordEstablished(in tap: ExchangeTap) {
        tap.setResponse(HTTP2ConnectNegotiation.established.http2Head(to: .connect))
    }

    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap) {
        switch refusal {
        case .failure(let failure):
            let response = LocalResponse.badGateway(failure)
            answer(response.head(isPersistent: true), response.body, recordingIn: tap)
        case .answer(let given):
            let isBodiless = given.head.isBodiless(to: .connect)
            answer(given.head, isBodiless ? [] : given.body, recordingIn: tap)
        }
    }

    private func answer(_ head: ResponseHead, _ body: [UInt8], recordingIn tap: ExchangeTap) {
        let response = ForwardedResponse(head: head, body: .exactly(UInt64(body.count)))
        link.send(response, on: stream)
        link.send(body: body.span, on: stream)
        tap.setResponse(response.http2Head(to: .connect))
        tap.appendAnswer(body.span)
    }
}
