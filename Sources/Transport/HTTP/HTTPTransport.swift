public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydTLS

/// The outbound HTTP of one loop: pooled, kept-alive connections and the exchanges over them.
/// Confined to its loop.
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
        /// Limits of response heads.
        public var wireLimits = WireLimits()

        public init() {}
    }

    private let loop: EventLoop
    private let pool: ConnectionPool
    private let connector: EvictingConnector
    private var options: Options

    public init(loop: EventLoop, connector: any Connecting, options: Options = Options()) {
        self.loop = loop
        let roomMaker = EvictingConnector(connector, loop: loop)
        self.connector = roomMaker
        self.options = options
        pool = ConnectionPool(loop: loop, connector: roomMaker, options: options)
        roomMaker.makeRoom = { [weak pool] in pool?.abortIdle() ?? false }
    }

    /// Replaces the options and the trusted authorities; they apply to new connections.
    public func reconfigure(_ options: Options, clientContext: TLSClientContext) {
        loop.preconditionOnLoop()
        self.options = options
        pool.reconfigure(options)
        connector.reconfigure(options.connectLimits, clientContext: clientContext)
    }

    /// The number of open server connections, including idle ones; tunnels are not counted.
    public var connectionCount: Int { pool.connectionCount }

    /// Called when file descriptors ran out and this loop has no idle connection to close; other
    /// loops may have some.
    public var onExhausted: () -> Void {
        get { connector.askOthers }
        set { connector.askOthers = newValue }
    }

    /// Creates the HTTP state machine of a new connection.
    var makeMachine: ConnectionPool.MachineMaker {
        get { pool.makeMachine }
        set { pool.makeMachine = newValue }
    }

    /// Called for each new pooled connection; records it and returns its identifier.
    public var onEstablished: ((EstablishedConnection) -> ConnectionID)? {
        get { pool.onEstablished }
        set { pool.onEstablished = newValue }
    }

    /// Called with all HTTP/2 facts of a pooled connection when the server has announced something,
    /// and when the connection has ended.
    public var onHTTP2Facts: ((ConnectionFacts, HTTP2ConnectionFacts) -> Void)? {
        get { pool.onHTTP2Facts }
        set { pool.onHTTP2Facts = newValue }
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
        pool.run(exchange, prepared: prepared)
        return exchange
    }

    /// Releases the connections reserved for a client connection that has closed, and closes those
    /// bound to it.
    public func release(_ affinity: ConnectionAffinity) { pool.release(affinity) }

    /// Whether an open connection to a target has room for any client.
    public func hasIdleConnection(to target: ConnectTarget) -> Bool { pool.hasIdle(target) }

    /// The protocol that a server chose from the target's offer; nil if that is unknown.
    public func spoken(by target: ConnectTarget) -> SpokenProtocol? { pool.spoken(by: target) }

    /// Whether a server supports extended CONNECT (RFC 8441); nil if that is unknown. Sending such
    /// a request finds out in any case: it is sent as it is over HTTP/2, as an Upgrade over
    /// HTTP/1.1, and fails if the server supports neither.
    public func extendedConnect(by target: ConnectTarget) -> ExtendedConnectSupport? {
        pool.extendedConnect(by: target)
    }

    /// Calls `tell` once, as soon as a server is known to support extended CONNECT. The owner must
    /// call `forgetExtendedConnect` before it is released.
    public func awaitExtendedConnect(
        by target: ConnectTarget, for owner: AnyObject, _ tell: @escaping () -> Void
    ) {
        pool.extendedConnectWatch.add(target, for: owner, tell)
    }

    public func forgetExtendedConnect(by target: ConnectTarget, for owner: AnyObject) {
        pool.extendedConnectWatch.remove(target, for: owner)
    }

    /// Connects to a server to learn whether it supports extended CONNECT, unless that is known or
    /// under way. The connection is kept for requests. Returns whether an answer can be expected.
    @discardableResult
    public func learnExtendedConnect(by target: ConnectTarget) -> Bool {
        pool.extendedConnect(by: target) == nil && pool.learn(target)
    }

    /// Calls `tell` once, as soon as it is known whether a server supports extended CONNECT, or the
    /// server turns out not to be reachable. If its connection is lost meanwhile, `tell` may never
    /// be called. The owner must call `forgetAnswer` before it is released.
    public func awaitAnswer(
        by target: ConnectTarget, for owner: AnyObject, _ tell: @escaping () -> Void
    ) {
        pool.answerWatch.add(target, for: owner, tell)
    }

    public func forgetAnswer(by target: ConnectTarget, for owner: AnyObject) {
        pool.answerWatch.remove(target, for: owner)
    }

    /// Starts HTTP/2 on an established connection to a server that is known to speak it, so that
    /// its settings arrive before any request is sent.
    public func open(_ prepared: PreparedConnection, to target: ConnectTarget) {
        pool.open(prepared, to: target)
    }

    /// Finds out which protocol a server speaks, over a plain connection if one is given.
    public func agree(
        on target: ConnectTarget, over prepared: PreparedConnection?,
        completion: @escaping (Result<AgreedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        pool.agree(on: target, over: prepared?.take(), completion: completion)
    }

    /// Makes a connection without HTTP, for a tunnel.
    public func connect(
        to target: ConnectTarget,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        connector.connect(
            to: target, deadlineNs: loop.now &+ options.connectTimeoutNs, completion: completion)
    }

    /// Closes idle connections cleanly.
    public func closeIdle() { pool.closeIdle() }

    /// Closes idle connections immediately, to free their file descriptors.
    public func abortIdle() { _ = pool.abortIdle() }
}

/// A request ready to be sent: its server and its message.
///
/// If the message is an extended CONNECT (`RequestHead.extendedConnect`), it asks the server for
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
