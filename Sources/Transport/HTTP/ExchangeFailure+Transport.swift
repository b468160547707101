public import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Failures of the communication with a server.
extension ExchangeFailure {
    /// The server sent something that is not valid HTTP.
    static func malformedResponse(_ error: WireError) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .malformedResponse,
            message: "the server's response is not valid HTTP: \(error.message)")
    }

    /// The server closed before its response was complete.
    static let closedEarly = ExchangeFailure(
        origin: .upstream, kind: .closedEarly,
        message: "the server closed the connection before the response was complete")

    /// The server's connection broke.
    public static func connectionBroke(_ error: StreamError) -> ExchangeFailure {
        ExchangeFailure(
            origin: .upstream, kind: .closedEarly,
            message: "the connection to the server broke: \(error)")
    }

    // MARK: Other protocols

    /// The server speaks HTTP/2 and does not support extended CONNECT.
    static let extendedConnectNotTaken = ExchangeFailure(
        origin: .upstream, kind: .refused,
        message:
            "the server does not support extended CONNECT (RFC 8441), with which the client asked "
            + "for another protocol")

    /// The server speaks HTTP/1.1, which has no way to ask for the protocol.
    static let protocolNeedsHTTP2 = ExchangeFailure(
        origin: .upstream, kind: .refused,
        message: "the server speaks HTTP/1.1, where websocket is the only protocol of "
            + "extended CONNECT that can be requested")

    /// The server switched to a protocol that was not requested.
    static let switchedToOther = ExchangeFailure(
        origin: .upstream, kind: .malformedResponse,
        message: "the server switched to a protocol other than websocket")

    /// The server's Sec-WebSocket-Accept is missing or wrong.
    static let badWebSocketProof = ExchangeFailure(
        origin: .upstream, kind: .malformedResponse,
        message: "the server's Sec-WebSocket-Accept does not match the key that was sent")
}
