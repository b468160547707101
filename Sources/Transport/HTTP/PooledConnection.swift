internal import ProxydEventLoops
public import ProxydHTTPModel

/// A server connection in the pool: its key, its owner and its use. Confined to the pool's loop.
///
/// ```
/// idle ──exchange──▶ busy ──last exchange ended──▶ idle      idle, busy ──▶ closed
/// ```
/// A busy connection with room also carries further exchanges.
final class PooledConnection: IndexedElement {
    /// The key under which the pool finds it: its target and its owner.
    private(set) var key: ConnectionKey
    let facts: ConnectionFacts
    /// The pool's configuration number when it was made.
    let configuration: Int
    private unowned let pool: HTTPTransport
    /// The HTTP state machine of the connection; nil once it is closed.
    private(set) var machine: (any ServerConnection)?
    /// Whether any request may use it, also while others are running; see ``ServerConnection``.
    private(set) var isMultiplexed = false
    private var exchangeCount = 0
    private(set) var runningCount = 0
    /// When it became idle, in monotonic nanoseconds.
    private(set) var idleSince: Int64 = 0
    /// The identifier of the client connection that it served last.
    private(set) var lastClient: ConnectionID?
    /// Its index among the pool's busy connections.
    // Exclusive: a number.
    @exclusivity(unchecked) var index = -1
    /// The bucket of its key; maintained by the pool.
    var bucket: PoolBucket?
    /// The client connection that it is reserved for; maintained by the pool.
    var keeper: ConnectionAffinity?

    init(key: ConnectionKey, facts: ConnectionFacts, configuration: Int, pool: HTTPTransport) {
        self.key = key
        self.facts = facts
        self.configuration = configuration
        self.pool = pool
    }

    /// Sets its HTTP state machine, once.
    func install(_ machine: any ServerConnection) {
        self.machine = machine
        isMultiplexed = machine.isMultiplexed
    }

    var isReused: Bool { exchangeCount > 1 }
    var isUnused: Bool { exchangeCount == 0 }
    /// Its HTTP/2 facts; nil if it uses HTTP/1 or none have arrived.
    var http2Facts: HTTP2ConnectionFacts? { machine?.http2Facts }
    /// Whether it carries no exchange and is open.
    var isIdle: Bool { runningCount == 0 && machine != nil }
    var hasRoom: Bool { (machine?.room ?? 0) > 0 }
    /// Whether it belongs to one client connection and ends with it.
    var isBound: Bool { key.owner != .shared }
    /// Whether the server has sent nothing since the last response; checks without waiting.
    var isSilent: Bool { machine?.isSilent() ?? false }

    func start(_ exchange: ClientExchange) {
        exchangeCount += 1
        runningCount += 1
        lastClient = exchange.affinity?.client
        machine?.carry(exchange)
    }

    /// Binds it to a client connection, one of whose exchanges it is carrying.
    func bind(to affinity: ConnectionAffinity) {
        guard runningCount > 0 else { return }
        pool.unlist(self)
        key = affinity.key(for: key.target)
        if keeper !== affinity { pool.give(self, to: affinity) }
        pool.noteRoom(self)
    }

    /// Closes it cleanly; it must be idle.
    func close() { machine?.close() }

    func abort() { machine?.abort() }

    // MARK: Called by the machine

    /// An exchange has ended, and the connection is still open.
    func exchangeEnded(now: Int64) {
        guard machine != nil else { return }
        runningCount -= 1
        idleSince = now
        pool.checkIn(self)
    }

    /// Fails an exchange that can use neither this connection nor any other to its server.
    func turnAway(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        exchangeEnded(now: pool.loop.now)
        pool.loop.afterDispatch { exchange.failed(failure) }
    }

    /// It was closed or taken over: it carries no more exchanges.
    func left() {
        guard machine != nil else { return }
        machine = nil
        pool.forget(self)
    }

    /// Its HTTP/2 facts have changed.
    func tell(_ http2: HTTP2ConnectionFacts) { pool.onHTTP2Facts?(facts, http2) }

    /// The server's settings arrived.
    func tell(takesExtendedConnect: Bool) {
        pool.note(takesExtendedConnect: takesExtendedConnect, by: key.target)
    }

    /// The last stream limit that its server announced, on any connection.
    var rememberedStreamCountMax: UInt32? {
        pool.memory.streamCountMax(of: key.target, now: pool.loop.now)
    }

    /// Its server has announced its stream limit; nil for no limit.
    func remember(streamCountMax: UInt32?) {
        pool.memory.note(streamCountMax: streamCountMax, of: key.target)
    }

    /// The number of exchanges that it has room for has changed.
    func roomChanged() { if machine != nil { pool.noteRoom(self) } }

    /// Sends an exchange over a new connection, because this one cannot complete it.
    func repeatElsewhere(_ exchange: ClientExchange) {
        exchange.detachForRepeat()
        pool.connectFresh(exchange)
    }

    /// The server requires HTTP/1.1 (RFC 9113 §7): no further exchange uses this connection, and
    /// the new protocol is remembered.
    func requiresHTTP1() {
        guard machine != nil else { return }
        pool.noteHTTP1(key.target)
        machine?.leaveRoom()
        pool.noteRoom(self)
    }

    /// The pool is being deallocated.
    func letGo() {
        machine = nil
        keeper = nil
    }
}

/// The server connections reserved for one client connection; confined to its loop.
///
/// The connection that served the client last is kept for it while others are available: a request
/// that must not be repeated uses that connection or a new one. Connections on which the client has
/// authenticated the connection itself are bound to it: they carry no other client's requests, and
/// each side closes when the other does.
public final class ConnectionAffinity {
    static let boundCountMax = 8

    let client: ConnectionID
    /// The server connection that served it last, or serves it now.
    var latest: PooledConnection?
    /// The servers to which it has, or will have, a bound connection.
    private(set) var boundTargets: [ConnectTarget] = []
    /// Whether a connection that was bound to it has closed.
    private(set) var hasLostBound = false
    /// Whether the client connection has closed.
    private(set) var isReleased = false
    /// Called when a bound server connection has closed, so that the client's must end too:
    /// immediately if it is idle, otherwise after the current response.
    public var onBoundLost: (() -> Void)?

    public init(client: ConnectionID) { self.client = client }

    /// From now on, this client's requests to a target use connections bound to the client.
    public func bind(to target: ConnectTarget) {
        guard !boundTargets.contains(target) else { return }
        boundTargets.append(target)
        if boundTargets.count > ConnectionAffinity.boundCountMax { onBoundLost?() }
    }

    /// The key of the connections that its requests to a target may use.
    func key(for target: ConnectTarget) -> ConnectionKey {
        let isBound = !boundTargets.isEmpty && boundTargets.contains(target)
        return ConnectionKey(target: target, owner: isBound ? .client(client) : .shared)
    }

    /// A reserved server connection has closed.
    func lost(_ connection: PooledConnection) {
        if latest === connection { latest = nil }
        guard connection.isBound else { return }
        hasLostBound = true
        onBoundLost?()
    }

    /// The client connection has closed.
    func release() {
        isReleased = true
        onBoundLost = nil
        latest = nil
    }
}
