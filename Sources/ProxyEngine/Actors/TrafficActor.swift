public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydTransport

/// Acts on what passes: rules, breakpoints, mocks. One for the engine, asked on all its loops.
///
/// Whatever it is asked, it decides when it likes: what waits for it is held, nothing of it is
/// lost, and its deadlines stand still. Without one, nothing is held and nothing is copied.
public protocol TrafficActor: AnyObject, Sendable {
    /// A server is to be reached: for each CONNECT, whether what it carries is read or passed
    /// through, and for each request that names its server itself.
    func connect(_ connection: AskedConnection, _ decision: Decision<ConnectVerdict>)
    /// Whether anything may act on what goes to a host, as it is named in a request; asked first.
    func mayAct(onHost host: String) -> Bool
    /// A request came: returns what acts on it and on its response; nil where nothing does.
    func actor(
        for exchange: ActedExchange, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)?
    /// The proxy is stopping: what is held goes on, or is cut off when the time to drain is over.
    func drain()
}

extension TrafficActor {
    /// On any host.
    public func mayAct(onHost host: String) -> Bool { true }

    /// Connects as was asked.
    public func connect(_ connection: AskedConnection, _ decision: Decision<ConnectVerdict>) {
        decision.make(.pass())
    }

    /// Acts on no exchange.
    public func actor(
        for exchange: ActedExchange, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)? { nil }

    /// Holds nothing.
    public func drain() {}
}

/// A server that is to be reached for a client.
public struct AskedConnection: Sendable {
    /// The client's connection.
    public let client: ConnectionID
    /// The client's address.
    public let peer: SocketAddress
    /// The local program behind the client, where it is known by now.
    public let process: ConnectionRecord.ClientProcess?
    /// The host that was named.
    public let host: String
    /// The port that was named.
    public let port: UInt16
    /// Whether it is asked for by CONNECT; else by a request.
    public let isTunnel: Bool
}

/// What becomes of a connection to a server.
public enum ConnectVerdict {
    /// It is made, by another route where one is given. All that the client of a tunnel sends and
    /// gets goes at `pace` from when it stands; of a request, its exchange is told of it.
    case pass(route: ConnectRoute? = nil, pace: (any PaceActor)? = nil)
    /// A tunnel stands without its server, which is reached, by a route where one is given, when a
    /// request in it goes on. What of it cannot be read is answered `unread`, or cut off where the
    /// client was told already that the tunnel stands; it is relayed where that is nil. A request
    /// that names its server passes.
    case withoutServer(
        route: ConnectRoute? = nil, pace: (any PaceActor)? = nil, unread: ExchangeAnswer?)
    /// The client is answered instead.
    case answer(ExchangeAnswer)
    /// The client's connection ends without an answer; why, as it is recorded.
    case end(ExchangeEnd, because: ExchangeFailure = .endedByActor)
}

/// An exchange that something may act on.
public struct ActedExchange {
    /// Its number.
    public let id: ExchangeID
    /// The client's connection.
    public let client: ConnectionID
    /// The client's address.
    public let peer: SocketAddress
    /// The local program behind the client, where it is known by now.
    public let process: ConnectionRecord.ClientProcess?
    /// The head as it came.
    public let requestHead: RequestHead
    /// The pace that its connection was given; nil for none, and where its tunnel goes at one.
    public let pace: (any PaceActor)?
}

/// How a client is left without an answer.
public enum ExchangeEnd: Sendable {
    /// Its connection is closed in good order.
    case close
    /// Its connection is reset.
    case reset
}

/// A response that no server gave.
public struct ExchangeAnswer: Sendable {
    /// The head; its lines about framing are made anew.
    public var head: ResponseHead
    /// The body, as it is sent.
    public var body: [UInt8]
    /// Whether only its status is recorded.
    public var isSecret: Bool
    /// The field lines behind the body, which goes in chunks then where HTTP/1.1 is spoken; nil for
    /// neither.
    public var trailers: HeaderFields?

    /// An answer.
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
