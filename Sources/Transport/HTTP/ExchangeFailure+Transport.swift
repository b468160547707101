public import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// The words for what goes wrong on the way to and from a server.
extension ExchangeFailure {
    /// The server sent what is no valid HTTP.
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
}
