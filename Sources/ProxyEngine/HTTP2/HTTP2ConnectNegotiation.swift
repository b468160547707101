internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// CONNECT as a stream of HTTP/2 (RFC 9113 §8.5): what is asked is that of HTTP/1, the answers are
/// heads on the stream.
struct HTTP2ConnectNegotiation: Negotiation {
    let request: ConnectNegotiation
    let link: HTTP2Link
    let stream: StreamID

    var host: String { request.host }
    var port: UInt16 { request.port }

    func openTap(on connection: ClientConnection, worker: ProxyWorker) -> ExchangeTap {
        let tap = request.openTap(on: connection, worker: worker)
        tap.setHTTP2 { $0.clientStream = stream }
        tap.frames = link.frameLog(of: stream)
        return tap
    }

    func establish(_ client: any DuplexStream) {
        let head = ResponseHead(version: .http2, status: 200, reason: "", fields: HeaderFields())
        link.send(ForwardedResponse(head: head, body: .untilClose), on: stream)
    }

    func recordEstablished(in tap: ExchangeTap) { request.recordEstablished(in: tap) }

    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap) {
        switch refusal {
        case .failure(let failure):
            let response = LocalResponse.badGateway(failure)
            send(response.head(isPersistent: true), response.body)
            response.record(in: tap)
        case .answer(let answer):
            send(answer.head, answer.head.isBodiless(to: .connect) ? [] : answer.body)
            tap.setResponse(answer.head)
            tap.appendAnswer(answer.body.span)
        }
    }

    private func send(_ head: ResponseHead, _ body: [UInt8]) {
        link.send(
            ForwardedResponse(head: head, body: .exactly(UInt64(body.count))), on: stream)
        link.send(body: body.span, on: stream)
    }
}
