internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// How a client names the server that its connection should lead to, and learns whether it does.
/// CONNECT is one way; each other protocol has its own messages. Confined to its loop.
protocol Negotiation {
    var host: String { get }
    var port: UInt16 { get }

    /// Whose names count for what is sent in the tunnel.
    var naming: TunnelNaming { get }

    /// Whether the client may be told that the tunnel is established before its server is reached.
    var mayBeEstablishedEarly: Bool { get }

    /// Opens the record of the request for a tunnel.
    func openTap(on connection: ClientConnection) -> ExchangeTap
    /// Tells the client that the tunnel is established: from now on it speaks to the server.
    func establish(_ client: any DuplexStream)
    /// Records the answer that `establish` sends.
    func recordEstablished(in tap: ExchangeTap)
    /// Whether the client can be told the reason inside the tunnel, which it is first told it has.
    var canBeExplainedInside: Bool { get }
    /// Records the answer that tells why there is no tunnel, without sending it.
    func recordRefusal(_ failure: ExchangeFailure, in tap: ExchangeTap)
    /// Tells the client why there is no tunnel, and records the answer.
    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap)
}

extension Negotiation {
    var naming: TunnelNaming { .byNegotiation }
    var mayBeEstablishedEarly: Bool { true }
    var canBeExplainedInside: Bool { false }
    func recordRefusal(_ failure: ExchangeFailure, in tap: ExchangeTap) {}
}

/// Why a client gets no tunnel.
enum Refusal {
    /// The server could not be reached, or connecting to it is not allowed.
    case failure(ExchangeFailure)
    /// An actor answers instead.
    case answer(ExchangeAnswer)
}

/// CONNECT (RFC 9110 §9.3.6): the request, and what its record needs if it gets one.
struct ConnectNegotiation: Negotiation {
    let host: String
    let port: UInt16
    let head: RequestHead
    /// When the request's first byte arrived, on the monotonic clock.
    let firstByteAt: Int64
    /// When the request's head was complete, on the monotonic clock.
    let headAt: Int64

    /// The response that establishes the tunnel, without framing fields (RFC 9110 §9.3.6).
    private static let established = ResponseHead(
        status: 200, reason: "Connection established", fields: HeaderFields())

    var mayBeEstablishedEarly: Bool { false }

    func openTap(on connection: ClientConnection) -> ExchangeTap {
        let tap = connection.openTap(firstByteAt: firstByteAt)
        tap.begin(url: .tunnel(host: host, port: port), head: head, at: headAt)
        tap.endRequest(trailers: nil, at: headAt)
        return tap
    }

    func establish(_ client: any DuplexStream) {
        client.write(ConnectNegotiation.established.bytes)
    }

    func recordEstablished(in tap: ExchangeTap) { tap.setResponse(ConnectNegotiation.established) }

    var canBeExplainedInside: Bool { true }

    func recordRefusal(_ failure: ExchangeFailure, in tap: ExchangeTap) {
        LocalResponse.badGateway(failure).record(in: tap, to: .connect)
    }

    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap) {
        switch refusal {
        case .failure(let failure):
            let response = LocalResponse.badGateway(failure)
            client.write(response.bytes(requestMethod: .connect, isPersistent: false))
            recordRefusal(failure, in: tap)
        case .answer(let answer):
            write(answer, to: client)
            tap.setResponse(answer.head)
            tap.appendAnswer(answer.body.span)
        }
    }

    private func write(_ answer: ExchangeAnswer, to client: any DuplexStream) {
        let message = ForwardedResponse(
            head: answer.head, body: .exactly(UInt64(answer.body.count)))
        let recipient = HTTP1Recipient(
            version: head.version, requestMethod: .connect, isPersistent: false)
        var bytes: [UInt8] = []
        HTTP1HeadWriter.write(message, to: recipient, into: &bytes)
        client.write(bytes)
        if !answer.head.isBodiless(to: .connect) { client.write(answer.body) }
    }
}

extension ClientConnection {
    /// Opens the record of a tunnel that no HTTP request has asked for. Its request is shown as a
    /// CONNECT without fields, and it has no response.
    func openTunnelTap(
        host: String, port: UInt16, firstByteAt: Int64, completeAt: Int64
    ) -> ExchangeTap {
        let url = RawURL.tunnel(host: host, port: port)
        let tap = openTap(firstByteAt: firstByteAt)
        tap.begin(
            url: url,
            head: RequestHead(
                method: .connect, target: Array(url.authority.utf8), fields: HeaderFields()),
            at: completeAt)
        tap.endRequest(trailers: nil, at: completeAt)
        return tap
    }
}
