internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// What an `ExchangeMachine` needs besides its client, its server and its record: `EnginePorts` in
/// the engine, and something without a loop in tests.
protocol ExchangePorts: AnyObject {
    /// On the monotonic clock, in nanoseconds.
    var now: Int64 { get }
    var timeouts: ExchangeTimeouts { get }
    var trafficActor: (any TrafficActor)? { get }

    /// Sends a request to its server; the machine may get `connected` before this returns.
    func open(
        _ request: consuming OutgoingRequest, _ prepared: PreparedConnection?,
        for machine: ExchangeMachine
    ) -> any ServerExchange
    func target(of url: RawURL) -> ConnectTarget
    /// Asks the machine's actor, which calls `decide` once, possibly before this returns. Before
    /// that, the decision is set as the open one of the machine's `actorState`.
    func ask(_ question: ActorQuestion, of machine: ExchangeMachine)
    /// Makes the flow of a body, which calls `receive(paced:of:)`.
    func flow(
        _ pace: any PaceActor, _ direction: PaceDirection, of machine: ExchangeMachine
    ) -> PacedFlow
    func forwarded(_ head: ResponseHead, _ body: BodyLength) -> ForwardedResponse
    /// Whether the configuration may change heads of responses.
    var changesHeads: Bool { get }
    /// The response head as the configuration wants it; nil if that is the one received.
    func changed(_ head: ResponseHead, _ references: BackReferences?) -> ResponseHead?
}

/// The server's side of one exchange: what the machine does to it, and what it can know.
protocol ServerExchange: AnyObject {
    var target: ConnectTarget { get }
    /// Whether too many bytes wait for the server; `ExchangeMachine.serverDrained` is called later.
    var isCongested: Bool { get }
    /// Whether a reused connection brought no byte of an answer: the client may repeat the request.
    var isUnanswered: Bool { get }
    /// The code with which the server reset the stream; nil if it did not.
    var resetCode: HTTP2ErrorCode? { get }
    var streamID: StreamID? { get }
    /// Whether the response is the last one on a connection that belongs to one client.
    var endsBoundConnection: Bool { get }
    var sentHeadAt: Int64? { get }
    var sentLastAt: Int64? { get }
    var firstByteAt: Int64? { get }
    var repairs: ResponseRepairs { get }
    /// Bytes that came and were not passed on; to be read before `cancel`.
    var refusedBytes: [UInt8] { get }

    func sendBody(_ bytes: Span<UInt8>)
    func finishBody(trailers: HeaderFields?)
    func send(priority value: [UInt8])
    func pauseReceiving()
    func resumeReceiving()
    func bindConnection()
    /// Ends it; nothing of it is received any more.
    func cancel(_ code: HTTP2ErrorCode)
}

/// The client's side of one exchange, whatever its HTTP version: an HTTP/1 connection, which has
/// one exchange at a time, or an HTTP/2 stream. It passes what the client sends to its machine, and
/// sends the client what the machine asks for. Confined to its loop.
protocol ClientStream: AnyObject {
    /// The HTTP/2 stream identifier; nil with HTTP/1, which has none.
    var streamID: StreamID? { get }
    var connection: ClientConnection { get }
    /// Whether requests name their servers themselves; false inside a tunnel to one server.
    var namesServers: Bool { get }
    /// The server connections reserved for its connection.
    var affinity: ConnectionAffinity { get }
    /// The method of the request; GET if it could not be parsed.
    var requestMethod: HTTPMethod { get }
    /// Whether too many bytes wait for the client; `ExchangeMachine.clientDrained` is called later.
    var isCongested: Bool { get }

    /// Stops reading from the client until every reason is removed.
    func setPaused(_ reason: PauseReasons, _ isPaused: Bool)
    /// If the recorder has no room, stops reading until it has, and then notifies the machine.
    /// Returns whether the recorder had no room.
    func pauseForRecorder() -> Bool
    /// The credentials in this exchange authenticate the connection to a server: it belongs to this
    /// client alone from now on, and when one of the two connections ends, so does the other.
    func bind(to target: ConnectTarget)

    /// Returns why the client could not interpret a response, or nil if it can.
    func objection(to response: borrowing ForwardedResponse) -> ExchangeFailure?
    /// Sends an interim response (RFC 9110 §15.2) if the client's HTTP version has them.
    func send(informational response: borrowing ForwardedResponse)
    /// Sends the head of the final response. If `isLast` is true, the connection ends after it.
    func send(_ response: borrowing ForwardedResponse, isLast: Bool)
    func send(body bytes: Span<UInt8>)
    func endBody(trailers: HeaderFields?)
    /// Ends the exchange: the client may send the next request.
    func end()
    /// Sends a complete response of the proxy, to a request that got none.
    func answer(_ response: LocalResponse)
    /// The head that the client gets with a response that did not come from the server, in the form
    /// that is recorded.
    func recordedHead(of response: ForwardedResponse) -> ResponseHead
    /// Ends an incomplete response in a way that the client can notice.
    func cutShort(_ cause: CutCause)
    /// Forwards the reset of the server's stream if the server has not answered yet; returns false
    /// if the client's HTTP version has no reset.
    func forwardReset(_ code: HTTP2ErrorCode) -> Bool
    /// Ends without an answer: the client may decide whether to send the request again.
    func endUnanswered()
    /// The protocol that the server switches to; nil if the response names none, or one that was
    /// not offered, or if the request is not complete.
    func agreedProtocol(in response: ResponseHead) -> String?
    /// Forwards the switch of protocols: from here on, a tunnel connects the client and the
    /// server's stream. `early` contains the server's first bytes in the new protocol.
    func switchProtocols(
        _ response: borrowing ForwardedResponse, joining server: any DuplexStream,
        early: Span<UInt8>, tap: ExchangeTap, pace: (any PaceActor)?)
}

extension LocalResponse {
    /// Records what a client is sent.
    func record(in tap: ExchangeTap, for client: any ClientStream) {
        record(
            in: tap, to: client.requestMethod,
            head: client.recordedHead(of: forwarded(isPersistent: false)))
    }

    /// Records that a client is sent this response instead of the one that the server gave.
    func recordSent(in tap: ExchangeTap, for client: any ClientStream) {
        let head = client.recordedHead(of: forwarded(isPersistent: false))
        tap.record(.sentResponseHead(head.bytes))
        if client.requestMethod != .head { tap.record(.sentResponseBody(body)) }
    }
}

/// Why a response is cut short.
enum CutCause: Equatable {
    /// The client has left or the connection is to be reset.
    case clientGone
    case serverReset(HTTP2ErrorCode)
    case failure
}
