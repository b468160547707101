internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// CONNECT on an HTTP/2 stream (RFC 9113 §8.5): the request is the same as in HTTP/1, the answers
/// are heads on the stream.
struct HTTP2ConnectNegotiation: Negotiation {
    let request: ConnectNegotiation
    let link: HTTP2Link
    let stream: StreamID

    var host: String { request.host }
    var port: UInt16 { request.port }

    var mayBeEstablishedEarly: Bool { false }

    func openTap(on connection: ClientConnection, worker: ProxyWorker) -> ExchangeTap {
        let tap = request.openTap(on: connection, worker: worker)
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
