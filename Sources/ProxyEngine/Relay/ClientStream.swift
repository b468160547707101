internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// The client's side of one exchange, whatever version it speaks: a connection of HTTP/1, which has
/// one at a time, or a stream of HTTP/2. It tells its relay what the client sends, and is told what
/// the client gets. Confined to its loop.
protocol ClientStream: AnyObject {
    /// Its number on the connection; nil with HTTP/1, which numbers none.
    var streamID: StreamID? { get }
    /// What stays the same on its connection.
    var connection: ClientConnection { get }
    /// Whether its requests name their servers themselves; else a tunnel leads to one.
    var namesServers: Bool { get }
    /// Which server connections belong with its connection.
    var affinity: ConnectionAffinity { get }
    /// The method of its request; GET where that could not be read.
    var requestMethod: HTTPMethod { get }
    /// Whether more waits for the client than should; `ExchangeRelay.clientDrained` follows.
    var isCongested: Bool { get }

    /// Takes nothing more from the client until every reason is gone.
    func setPaused(_ reason: PauseReasons, _ isPaused: Bool)
    /// Where the recorder has no room, takes nothing more until it has, and tells the relay then.
    /// Returns whether it had none.
    func pauseForRecorder() -> Bool
    /// What is said authenticates the connection to a server: that is this client's alone from now
    /// on, and each ends with the other.
    func bind(to target: ConnectTarget)

    /// Why the client could not make sense of a response; nil where it can.
    func objection(to response: borrowing ForwardedResponse) -> ExchangeFailure?
    /// Sends an interim response (RFC 9110 §15.2), if the client knows of such.
    func send(informational response: borrowing ForwardedResponse)
    /// Sends the head of the final response. Where `isLast`, the connection ends with it.
    func send(_ response: borrowing ForwardedResponse, isLast: Bool)
    /// Sends a piece of the response's body.
    func send(body octets: Span<UInt8>)
    /// Ends the response's body.
    func endBody(trailers: HeaderFields?)
    /// The exchange is over: the client may go on.
    func end()
    /// Sends a whole response of our own, to a request that got none.
    func answer(_ response: LocalResponse)
    /// The head that the client gets with a response that did not come from the server, as it is
    /// recorded.
    func recordedHead(of response: ForwardedResponse) -> ResponseHead
    /// Ends a response that is not complete, so that the client sees it.
    func cutShort(_ cause: CutCause)
    /// Passes on that the server reset its stream before it answered; false where the client's
    /// version has no way to say so.
    func passOn(reset code: HTTP2ErrorCode) -> Bool
    /// Ends the record of an exchange, now or once the client's version has said all that belongs
    /// to it.
    func close(
        _ tap: ExchangeTap, _ state: ExchangeState, failure: ExchangeFailure?, now: Int64)
    /// Ends without an answer: the client may decide whether to send the request again.
    func endUnanswered()
    /// The protocol that the server switches to; nil where the response names none, or one that was
    /// not offered to it, or where the request is not complete.
    func agreedProtocol(in response: ResponseHead) -> String?
    /// Passes on that the server switches protocols: from here on a tunnel joins the client and the
    /// server's stream. `early` is what the server has said in the new protocol.
    func switchProtocols(
        _ response: borrowing ForwardedResponse, joining server: any DuplexStream,
        early: Span<UInt8>, tap: ExchangeTap, pace: (any PaceActor)?)
}

/// Why a response is cut short.
enum CutCause: Equatable {
    /// No one is there to see it.
    case clientGone
    /// The server reset its stream.
    case serverReset(HTTP2ErrorCode)
    /// Something else went wrong.
    case failure
}
