public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydTransport

/// Acts on traffic: rules, breakpoints, mocks. The engine has one, called on all its loops.
///
/// It may take any time to decide: what waits for the decision is kept, none of it is lost, and its
/// deadlines do not run. Without an actor, nothing waits or is copied.
public protocol TrafficActor: AnyObject, Sendable {
    /// A connection to a server is about to be made: called for each CONNECT, whether its tunnel is
    /// intercepted or passed through, and for each request that names its server itself.
    func connect(_ connection: RequestedConnection, _ decision: Decision<ConnectVerdict>)
    /// Whether anything may act on traffic to a host, given as the request names it; called first.
    func mayAct(onHost host: String) -> Bool
    /// The same for a request, of which more is known: if not, it is forwarded without the actor.
    func mayAct(on request: borrowing ForwardedRequest) -> Bool
    /// A request arrived: returns the actor for it and its response, or nil if there is none.
    func actor(
        for exchange: ExchangeContext, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)?
    /// The proxy is stopping: what waits goes on, or is cut off when the drain timeout ends.
    func drain()
}

extension TrafficActor {
    public func mayAct(onHost host: String) -> Bool { true }

    public func mayAct(on request: borrowing ForwardedRequest) -> Bool {
        mayAct(onHost: request.url.host)
    }

    public func connect(_ connection: RequestedConnection, _ decision: Decision<ConnectVerdict>) {
        decision.make(.pass())
    }

    /// Acts on no exchange.
    public func actor(
        for exchange: ExchangeContext, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)? { nil }

    /// Does nothing, since nothing waits.
    public func drain() {}
}

/// A connection to a server that a client asks for.
public struct RequestedConnection: Sendable {
    public let client: ConnectionID
    public let peer: SocketAddress
    /// The local program that is the client, if it is already known.
    public let process: ConnectionRecord.ClientProcess?
    /// How the client's connection reached the proxy, if it is known.
    public let arrival: ConnectionRecord.Arrival?
    /// The user as whom the client has authenticated; nil if it has not.
    public let user: String?
    public let host: String
    public let port: UInt16
    /// Whether CONNECT asked for it rather than a request.
    public let isTunnel: Bool
}

/// What to do about a connection to a server.
public enum ConnectVerdict {
    /// Makes the connection, by another route if one is given. For a tunnel, all bytes from and to
    /// the client go at `pace` once it is established; for a request, the pace is passed to its
    /// exchange.
    case pass(route: ConnectRoute? = nil, pace: (any PaceActor)? = nil)
    /// Establishes a tunnel without its server, which is connected to, by a route if one is given,
    /// when a request in the tunnel is forwarded. Traffic in it that cannot be read is answered
    /// with `unread`, or cut off if the client was already told that the tunnel is established; if
    /// `unread` is nil, it is relayed. A request that names its server passes.
    case withoutServer(
        route: ConnectRoute? = nil, pace: (any PaceActor)? = nil, unread: ExchangeAnswer?)
    /// Sends this answer to the client instead.
    case answer(ExchangeAnswer)
    /// Ends the client's connection without an answer; the failure is recorded as the reason.
    case end(ExchangeEnd, because: ExchangeFailure = .endedByActor)
}

/// An exchange that something may act on.
public struct ExchangeContext {
    public let id: ExchangeID
    public let client: ConnectionID
    public let peer: SocketAddress
    /// The local program that is the client, if it is already known.
    public let process: ConnectionRecord.ClientProcess?
    /// How the client's connection reached the proxy, if it is known.
    public let arrival: ConnectionRecord.Arrival?
    /// The user as whom the client has authenticated; nil if it has not.
    public let user: String?
    public let requestHead: RequestHead
    /// The pace set for its connection; nil if there is none, or if its whole tunnel is paced.
    public let pace: (any PaceActor)?
}

/// How a client's connection ends without an answer.
public enum ExchangeEnd: Sendable {
    case close
    case reset
}

/// A response that did not come from a server.
public struct ExchangeAnswer: Sendable {
    /// The head; its framing fields are replaced.
    public var head: ResponseHead
    public var body: [UInt8]
    /// Whether only the status is recorded.
    public var isSecret: Bool
    /// The trailer fields, which make the body chunked in HTTP/1.1; nil for neither.
    public var trailers: HeaderFields?

    public init(
        head: ResponseHead, body: [UInt8] = [], isSecret: Bool = false,
        trailers: HeaderFields? = nil
    ) {
        self.trailers = trailers
        self.head = head
        self.body = body
        self.isSecret = isSecret
    }
}

/// A question to an actor, answered once, immediately or later. Confined to its loop.
public final class Decision<Verdict>: PendingDecision {
    /// The loop to answer on; a delayed answer may use its timers.
    public let loop: EventLoop
    private var handler: ((Verdict) -> Void)?
    private let noteEvent: (ExchangeEvent) -> Void

    init(
        on loop: EventLoop, noting noteEvent: @escaping (ExchangeEvent) -> Void = { _ in },
        _ handler: @escaping (Verdict) -> Void
    ) {
        self.loop = loop
        self.noteEvent = noteEvent
        self.handler = handler
    }

    /// Whether the answer is still awaited; false if the exchange has ended in the meantime.
    public var isWanted: Bool { handler != nil }

    /// Answers the question. A second answer, or one that is no longer wanted, is ignored.
    public func make(_ verdict: Verdict) {
        loop.preconditionOnLoop()
        guard let handler else { return }
        self.handler = nil
        handler(verdict)
    }

    /// Records what was done to the exchange, unless that has ended in the meantime.
    public func note(_ event: ExchangeEvent) {
        loop.preconditionOnLoop()
        if isWanted { noteEvent(event) }
    }

    func withdraw() { handler = nil }
}

/// A question that has not been answered.
protocol PendingDecision: AnyObject {
    /// Drops the question; an answer to it is ignored from now on.
    func withdraw()
}

/// A verdict that can end an exchange: whatever the question was, the actor can answer the client
/// or close its connection.
public protocol EndingVerdict {
    static func answer(_ answer: ExchangeAnswer) -> Self
    static func end(_ end: ExchangeEnd, because failure: ExchangeFailure) -> Self
}

extension ConnectVerdict: EndingVerdict {}
extension MessageVerdict: EndingVerdict {}
