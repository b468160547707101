public import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS

/// Failures on the client's side and in the proxy itself.
extension ExchangeFailure {
    static func malformed(_ error: WireError) -> ExchangeFailure {
        ExchangeFailure(origin: .client, kind: .malformedRequest, message: error.message)
    }

    static func malformed(_ message: MalformedMessage) -> ExchangeFailure {
        ExchangeFailure(origin: .client, kind: .malformedRequest, message: message.text)
    }

    static func portRefused(_ port: UInt16) -> ExchangeFailure {
        ExchangeFailure(
            origin: .proxy, kind: .refused,
            message: "CONNECT to port \(port) is not allowed by the configuration")
    }

    static let clientClosedInHead = ExchangeFailure(
        origin: .client, kind: .closedEarly,
        message: "the client closed the connection inside a request head")

    static let clientClosed = ExchangeFailure(
        origin: .client, kind: .closedEarly,
        message: "the client closed the connection before the exchange was complete")

    /// The client's stream was reset, by the client or by the proxy.
    static func clientReset(_ code: HTTP2ErrorCode, isOurs: Bool) -> ExchangeFailure {
        isOurs
            ? ExchangeFailure(
                origin: .client, kind: .malformedRequest,
                message: "the client violated HTTP/2 on its stream: \(code)")
            : ExchangeFailure(
                origin: .client, kind: .closedEarly,
                message: "the client reset the stream: \(code)")
    }

    /// The client's side of a tunnel broke, by a stream reset if one is given.
    static func clientBroke(_ reset: (code: HTTP2ErrorCode, isOurs: Bool)?) -> ExchangeFailure {
        reset.map { clientReset($0.code, isOurs: $0.isOurs) } ?? .clientClosed
    }

    static let headTimedOut = ExchangeFailure(
        origin: .client, kind: .timedOut,
        message: "the client did not complete its request head in time")

    /// A request that must not be repeated was sent over a kept-alive connection already closed.
    static func unanswered(_ cause: ExchangeFailure) -> ExchangeFailure {
        ExchangeFailure(
            origin: cause.origin, kind: cause.kind,
            message: "no answer was sent, as only the client can tell whether the request may be "
                + "sent again: \(cause.message)")
    }

    static let responseTimedOut = ExchangeFailure(
        origin: .upstream, kind: .timedOut,
        message: "the server did not begin its response in time")

    static let responseStalled = ExchangeFailure(
        origin: .upstream, kind: .timedOut,
        message: "the server sent no more of its response in time")

    static let clientStalled = ExchangeFailure(
        origin: .client, kind: .timedOut,
        message: "the client took no more of the response in time")

    static let serverClosed = ExchangeFailure(
        origin: .upstream, kind: .closedEarly,
        message: "the server closed the connection after switching protocols")

    static let unaskedSwitch = ExchangeFailure(
        origin: .upstream, kind: .malformedResponse,
        message: "the server switched protocols without being asked")

    /// A WebSocket was closed cleanly, but without a close frame (RFC 6455 §7.1.5: 1006).
    static func endedWithoutClose(_ origin: Origin) -> ExchangeFailure {
        let side = origin == .client ? "client" : "server"
        return ExchangeFailure(
            origin: origin, kind: .closedEarly,
            message: "the \(side) ended the WebSocket without a close frame")
    }

    static let tunnelIdle = ExchangeFailure(
        origin: .proxy, kind: .timedOut,
        message: "nothing was sent for too long, and the proxy closed the connection")

    static let upgradePassedOver = ExchangeFailure(
        origin: .upstream, kind: .malformedResponse,
        message: "the server answered the request without switching protocols; over HTTP/2 its "
            + "status would say that it did")

    static func leafNotMade(_ reason: String) -> ExchangeFailure {
        ExchangeFailure(
            origin: .proxy, kind: .tlsHandshake,
            message: "no certificate could be made for the client: \(reason)")
    }

    static func clientHandshake(_ error: TLSError) -> ExchangeFailure {
        ExchangeFailure(
            origin: .client, kind: .tlsHandshake,
            message: "\(error.message); see `proxyctl ca doctor` for who trusts the proxy's CA")
    }

    static let helloTimedOut = ExchangeFailure(
        origin: .client, kind: .tlsHandshake,
        message: "the client began a TLS handshake and did not complete its hello in time")

    public static let endedByActor = ExchangeFailure(
        origin: .proxy, kind: .refused, message: "the exchange was ended on its way")

    static let shutdown = ExchangeFailure(
        origin: .proxy, kind: .shutdown, message: "the proxy was stopped")

    static let overloaded = ExchangeFailure(
        origin: .proxy, kind: .overloaded, message: "the proxy ran out of connections")

    static let codingUnknownToClient = ExchangeFailure(
        origin: .upstream, kind: .malformedResponse,
        message: "the server used a transfer coding that no HTTP/1.0 client knows")

    /// The proxy's page was requested under a foreign host name, or by another site's script.
    static let pageRefused = ExchangeFailure(
        origin: .client, kind: .refused,
        message: "the proxy's page was requested under a name that is not the proxy's")
}
