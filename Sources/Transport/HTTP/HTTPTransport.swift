public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydTLS

/// The outbound HTTP of one loop: pooled, kept-alive connections and the exchanges over them.
/// Confined to its loop.
///
/// It assigns exchanges to connections: one to an idle HTTP/1 connection, or several to an HTTP/2
/// connection, up to its limit. A client connection gets the server connection that served it last,
/// as long as it is open: a request that must not be repeated uses only that one, or a new one.
/// Otherwise the newest comes first: a connection used a moment ago is the least likely to have
/// been closed by the server. Idle connections are read from, so that a close by the server is
/// noticed immediately.
public final class HTTPTransport {
    public struct Options: Sendable {
        /// How long name lookup, connecting and the TLS handshake may take together, in
        /// nanoseconds.
        public var connectTimeoutNs: Int64 = 15_000_000_000
        /// How long each of these steps may take.
        public var connectLimits = ConnectLimits()
        /// How long a kept-alive connection may be idle, in nanoseconds.
        public var idleTimeoutNs: Int64 = 30_000_000_000
        /// The maximum number of idle connections per target. Those reserved for an open client
        /// connection, one for each, count neither here nor below.
        public var idlePerTargetCountMax = 64
        /// The maximum number of idle connections in total.
        public var idleCountMax = 512
        /// What is recorded of the HTTP/2 frames that belong to no stream; nil for nothing.
        public var connectionFrames: FrameLog.Detail?
        public var wireLimits = WireLimits()

        public init() {}
    }

    let loop: EventLoop
    let connector: EvictingConnector
    private(set) var options: Options
    /// The protocols that servers were found to speak.
    var memory = ProtocolMemory()
    /// Callbacks for servers that turn out to support extended CONNECT.
    var extendedConnectWatch = ExtendedConnectWatch()
    /// Callbacks for servers of which it becomes known whether they do, or that cannot be reached.
    var answerWatch = ExtendedConnectWatch()
    var buckets: [ConnectionKey: PoolBucket] = [:]
    /// The bucket that was looked up last: comparing a key is cheaper than hashing it.
    var latestBucket: PoolBucket?
    /// Connections with running exchanges; each knows its index. They are retained here, because no
    /// one else owns them.
    // Exclusive: who removes a connection has a reference to it, so nothing is released
    // meanwhile.
    @exclusivity(unchecked) var busy = IndexedSet<PooledConnection>()
    var freeCount = 0
    var keptCount = 0
    var sweepTimer: Timer?
    /// The number of configuration changes so far; connections store it.
    var configurationCount = 0
    /// Creates the HTTP state machine of a new connection.
    typealias MachineMaker =
        (EstablishedConnection, PooledConnection, Options) -> any ServerConnection

    var makeMachine: MachineMaker = { established, connection, options in
        established.speaksHTTP2(connection.key.target)
            ? HTTP2ClientConnection(established.stream, connection: connection, options: options)
            : HTTP1ClientConnection(
                established.stream, connection: connection, limits: options.wireLimits)
    }
    /// Attempts that several exchanges wait for.
    var connecting: [ConnectionKey: PendingConnect] = [:]
    /// Called for each new pooled connection; records it and returns its identifier.
    public var onEstablished: ((EstablishedConnection) -> ConnectionID)?
    /// Called with all HTTP/2 facts of a pooled connection when the server has announced something,
    /// and when the connection has ended.
    public var onHTTP2Facts: ((ConnectionFacts, HTTP2ConnectionFacts) -> Void)?

    public init(loop: EventLoop, connector: any Connecting, options: Options = Options()) {
        self.loop = loop
        self.connector = EvictingConnector(connector, loop: loop)
        self.options = options
        self.connector.makeRoom = { [weak self] in self?.abortIdle() ?? false }
    }

    // Breaks the reference cycles of connections with their buckets, machines and affinities.
    deinit {
        for connection in busy.all { connection.letGo() }
        for bucket in buckets.values {
            for connection in bucket.idle { connection.letGo() }
            bucket.free = []
            bucket.kept = IndexedSet()
            bucket.roomy = []
        }
    }

    /// Replaces the options and the trusted authorities, for new connections. Existing connections
    /// finish their exchanges and take no others, because they trust the former authorities.
    public func reconfigure(_ options: Options, clientContext: TLSClientContext) {
        loop.preconditionOnLoop()
        self.options = options
        configurationCount += 1
        for bucket in buckets.values { bucket.roomy = [] }
        connecting = [:]
        closeIdle()
        connector.reconfigure(options.connectLimits, clientContext: clientContext)
    }

    /// The number of open server connections, including idle ones; tunnels are not counted.
    public var connectionCount: Int { busy.count + freeCount + keptCount }

    /// Called when file descriptors ran out and this loop has no idle connection to close; other
    /// loops may have some.
    public var onExhausted: () -> Void {
        get { connector.askOthers }
        set { connector.askOthers = newValue }
    }

    /// Sends a request. Delegate calls start after this call has returned, except `didSendHead`,
    /// `didConnect` and `exchangeDidDrain`, which may come within it.
    ///
    /// `prepared` is used if no pooled connection has room. `affinity` identifies the client
    /// connection that the request came on; without one, the transport has a single client. The
    /// HTTP/2 frames of the exchange are recorded in `frames`.
    public func send(
        _ request: consuming OutgoingRequest, prepared: PreparedConnection? = nil,
        affinity: ConnectionAffinity? = nil, frames: FrameLog? = nil,
        delegate: any ClientExchangeDelegate
    ) -> ClientExchange {
        loop.preconditionOnLoop()
        let exchange = ClientExchange(
            request: request, affinity: affinity, frames: frames, loop: loop, delegate: delegate)
        run(exchange, prepared: prepared)
        return exchange
    }

    /// Calls `tell` once, as soon as a server is known to support extended CONNECT. The owner must
    /// call `forgetExtendedConnect` before it is released.
    public func awaitExtendedConnect(
        by target: ConnectTarget, for owner: AnyObject, _ tell: @escaping () -> Void
    ) {
        extendedConnectWatch.add(target, for: owner, tell)
    }

    public func forgetExtendedConnect(by target: ConnectTarget, for owner: AnyObject) {
        extendedConnectWatch.remove(target, for: owner)
    }

    /// Connects to a server to learn whether it supports extended CONNECT, unless that is known or
    /// under way. The connection is kept for requests. Returns whether an answer can be expected.
    @discardableResult
    public func learnExtendedConnect(by target: ConnectTarget) -> Bool {
        extendedConnect(by: target) == nil && learn(target)
    }

    /// Calls `tell` once, as soon as it is known whether a server supports extended CONNECT, or the
    /// server turns out not to be reachable. If its connection is lost meanwhile, `tell` may never
    /// be called. The owner must call `forgetAnswer` before it is released.
    public func awaitAnswer(
        by target: ConnectTarget, for owner: AnyObject, _ tell: @escaping () -> Void
    ) {
        answerWatch.add(target, for: owner, tell)
    }

    public func forgetAnswer(by target: ConnectTarget, for owner: AnyObject) {
        answerWatch.remove(target, for: owner)
    }

    /// Makes a connection without HTTP, for a tunnel.
    public func connect(
        to target: ConnectTarget,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        connector.connect(to: target, deadlineNs: connectDeadlineNs, completion: completion)
    }
}

/// A request ready to be sent: its server and its message.
///
/// If the message is an extended CONNECT (`isExtendedConnect`), it asks the server for
/// another protocol. It is sent as it is over HTTP/2, and for `websocket` as an Upgrade over
/// HTTP/1.1, whose key and proof the transport handles. If the server agrees, with 2xx or 101, the
/// exchange's delegate receives `didSwitchTo`; any other answer is an ordinary response.
public struct OutgoingRequest: Sendable {
    /// The server, and how to secure the connection to it.
    public let target: ConnectTarget
    /// The message, which is serialized once there is a connection for it.
    public let message: ForwardedRequest

    public init(target: consuming ConnectTarget, message: consuming ForwardedRequest) {
        self.target = target
        self.message = message
    }

    var isExtendedConnect: Bool { message.head.isExtendedConnect }

    /// The method, on which the framing of the response depends (RFC 9112 §6.3).
    var method: HTTPMethod { message.head.method }
    var body: BodyLength { message.body }

    /// Whether it may be sent a second time if a kept-alive connection turns out to be closed
    /// before a byte of the response arrived (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    var mayBeRepeated: Bool { method.isIdempotent && (body == .none || body == .exactly(0)) }
}
