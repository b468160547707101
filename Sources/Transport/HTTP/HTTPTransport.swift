public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire
public import ProxydTLS

/// The one outbound path of a loop: connections, kept alive and pooled, and the HTTP exchanges
/// over them. Confined to its loop.
public final class HTTPTransport {
    /// What a transport needs to know.
    public struct Options: Sendable {
        /// How long name look-up, connecting and the TLS handshake may take together, nanoseconds.
        public var connectTimeoutNs: Int64 = 15_000_000_000
        /// How long the steps within that may take.
        public var connectLimits = ConnectLimits()
        /// How long a kept-alive connection may be idle, nanoseconds.
        public var idleTimeoutNs: Int64 = 30_000_000_000
        /// Idle connections kept for one target. Those that belong with an open client connection,
        /// one with each, do not count here nor below.
        public var idlePerTargetCountMax = 64
        /// Idle connections kept in all.
        public var idleCountMax = 512
        /// What is kept of the frames of HTTP/2 that belong to no stream; nil where nothing is.
        public var connectionFrames: FrameLog.Detail?
        /// Limits of response heads.
        public var wireLimits = WireLimits()

        /// The defaults.
        public init() {}
    }

    private let loop: EventLoop
    private let pool: ConnectionPool
    private let connector: EvictingConnector
    private var options: Options

    /// A transport on a loop, connecting through `connector`.
    public init(loop: EventLoop, connector: any Connecting, options: Options = Options()) {
        self.loop = loop
        let roomMaker = EvictingConnector(connector, loop: loop)
        self.connector = roomMaker
        self.options = options
        pool = ConnectionPool(loop: loop, connector: roomMaker, options: options)
        roomMaker.makeRoom = { [weak pool] in pool?.abortIdle() ?? false }
    }

    /// Puts other options and another idea of whom to trust in force for what comes from now on.
    public func reconfigure(_ options: Options, clientContext: TLSClientContext) {
        loop.preconditionOnLoop()
        self.options = options
        pool.reconfigure(options)
        connector.reconfigure(options.connectLimits, clientContext: clientContext)
    }

    /// Server connections open now, idle ones included; tunnels are not counted.
    public var connectionCount: Int { pool.connectionCount }

    /// Called when descriptors ran out and this loop has no idle connection to close: others may.
    public var onExhausted: () -> Void {
        get { connector.askOthers }
        set { connector.askOthers = newValue }
    }

    /// Makes what speaks on a new connection.
    var makeMachine: ConnectionPool.MachineMaker {
        get { pool.makeMachine }
        set { pool.makeMachine = newValue }
    }

    /// Called for each new pooled connection; numbers it and records it.
    public var onEstablished: ((EstablishedConnection) -> ConnectionID)? {
        get { pool.onEstablished }
        set { pool.onEstablished = newValue }
    }

    /// Called with what is known of a pooled connection that speaks HTTP/2, when the server has
    /// announced something, and when it is over; all of it each time.
    public var onHTTP2Facts: ((ConnectionFacts, HTTP2ConnectionFacts) -> Void)? {
        get { pool.onHTTP2Facts }
        set { pool.onHTTP2Facts = newValue }
    }

    /// Sends a request. Delegate calls begin after this call has returned, except `didConnect`
    /// and `exchangeDidDrain`, which may come within it.
    ///
    /// `prepared` is used where no kept-alive connection stands. `affinity` stands for the client
    /// connection that the request came on; without one, the transport has a single client. Frames
    /// of HTTP/2 that carry it are noted in `frames`.
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

    /// Lets go of what belonged with a client connection that is gone, and closes what was bound
    /// to it.
    public func release(_ affinity: ConnectionAffinity) { pool.release(affinity) }

    /// Whether a kept-alive connection to a target stands.
    public func hasIdleConnection(to target: ConnectTarget) -> Bool { pool.hasIdle(target) }

    /// What a server speaks of what a target offers it; nil where that is not known.
    public func spoken(by target: ConnectTarget) -> SpokenProtocol? { pool.spoken(by: target) }

    /// Whether a server can be asked for another protocol by extended CONNECT (RFC 8441); nil where
    /// it is not known. A request that is one finds out in any case: it is sent as it is over
    /// HTTP/2, as an Upgrade over HTTP/1.1, and fails where the server takes neither.
    public func extendedConnect(by target: ConnectTarget) -> ExtendedConnectSupport? {
        pool.extendedConnect(by: target)
    }

    /// Calls `tell` once, as soon as it becomes known that a server can be asked for another
    /// protocol. An owner that is gone must have said so by `forgetExtendedConnect`.
    public func awaitExtendedConnect(
        by target: ConnectTarget, for owner: AnyObject, _ tell: @escaping () -> Void
    ) {
        pool.extendedConnectWatch.add(target, for: owner, tell)
    }

    /// An owner waits no more.
    public func forgetExtendedConnect(by target: ConnectTarget, for owner: AnyObject) {
        pool.extendedConnectWatch.remove(target, for: owner)
    }

    /// Begins HTTP/2 on a connection that stands to a server of which it is known that it speaks
    /// it, so that its settings are heard before anything is asked of it.
    public func open(_ prepared: PreparedConnection, to target: ConnectTarget) {
        pool.open(prepared, to: target)
    }

    /// Asks a server what it speaks, over a plain connection where one stands.
    public func agree(
        on target: ConnectTarget, over prepared: PreparedConnection?,
        completion: @escaping (Result<AgreedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        pool.agree(on: target, over: prepared?.take(), completion: completion)
    }

    /// Makes a connection without HTTP on it, for a tunnel.
    public func connect(
        to target: ConnectTarget,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        connector.connect(
            to: target, deadlineNs: loop.now &+ options.connectTimeoutNs, completion: completion)
    }

    /// Closes idle connections.
    public func closeIdle() { pool.closeIdle() }

    /// Gives the descriptors of idle connections back at once.
    public func abortIdle() { _ = pool.abortIdle() }
}
