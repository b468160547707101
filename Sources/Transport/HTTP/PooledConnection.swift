internal import ProxydEventLoops
internal import ProxydHTTPModel

/// A server connection as the pool knows it: what it is found by, whose it is, how it was used.
/// Confined to the pool's loop.
///
/// ```
/// idle ──exchange──▶ busy ──last exchange ended──▶ idle      idle, busy ──▶ closed
/// ```
/// A busy one with room is lent to further exchanges.
final class PooledConnection: Placed {
    /// What it is found by: where it leads, and whose it is.
    private(set) var key: ConnectionKey
    /// What its exchanges are told of it.
    let facts: ConnectionFacts
    /// The number of the configuration under which it was made.
    let configuration: Int
    private unowned let pool: ConnectionPool
    /// What speaks on it; nil once it is closed.
    private(set) var machine: (any ServerConnection)?
    /// Whether any request may go over it, and while others are under way.
    private(set) var tellsWhatItTook = false
    /// Exchanges begun on it.
    private var exchangeCount = 0
    /// Exchanges under way on it.
    private(set) var runningCount = 0
    /// When it became idle; monotonic nanoseconds.
    private(set) var idleSince: Int64 = 0
    /// The number of the client connection that it served last.
    private(set) var lastClient: ConnectionID?
    /// Its place among the pool's busy connections.
    var place = -1
    /// Those of its key, kept by the pool.
    var line: ConnectionLine?
    /// The client connection that it belongs with; kept by the pool.
    var keeper: ConnectionAffinity?

    init(
        key: ConnectionKey, facts: ConnectionFacts, configuration: Int, pool: ConnectionPool
    ) {
        self.key = key
        self.facts = facts
        self.configuration = configuration
        self.pool = pool
    }

    /// Gives it the machine that speaks on it, once.
    func install(_ machine: any ServerConnection) {
        self.machine = machine
        tellsWhatItTook = machine.tellsWhatItTook
    }

    /// Whether it has served an exchange before the present one.
    var isReused: Bool { exchangeCount > 1 }
    /// Whether it has carried nothing.
    var isUnused: Bool { exchangeCount == 0 }
    /// What is known of it as one of HTTP/2.
    var http2Facts: HTTP2ConnectionFacts? { machine?.http2Facts }
    /// Whether it waits for work.
    var isIdle: Bool { runningCount == 0 && machine != nil }
    /// Whether another exchange finds room on it.
    var hasRoom: Bool { (machine?.room ?? 0) > 0 }
    /// Whether it is one client connection's alone, and ends with it.
    var isBound: Bool { key.owner != .shared }
    /// Looks, without waiting, whether the server has said nothing since the last response.
    var isSilent: Bool { machine?.isSilent() ?? false }

    /// Carries an exchange.
    func start(_ exchange: ClientExchange) {
        exchangeCount += 1
        runningCount += 1
        lastClient = exchange.affinity?.client
        machine?.carry(exchange)
    }

    /// Makes it a client connection's alone, for which it is busy now.
    func bind(to affinity: ConnectionAffinity) {
        guard runningCount > 0 else { return }
        pool.unlist(self)
        key = affinity.key(for: key.target)
        if keeper !== affinity { pool.give(self, to: affinity) }
        pool.noteRoom(self)
    }

    /// Closes it in good order; it is idle.
    func close() { machine?.close() }

    /// Closes it at once.
    func abort() { machine?.abort() }

    // MARK: What the machine tells

    /// An exchange is over, and the connection stands.
    func exchangeEnded(now: Int64) {
        guard machine != nil else { return }
        runningCount -= 1
        idleSince = now
        pool.checkIn(self)
    }

    /// An exchange that it was given cannot go over it, nor over any other one to its server.
    func turnAway(_ exchange: ClientExchange, _ failure: ExchangeFailure) {
        exchangeEnded(now: pool.loop.now)
        pool.loop.afterDispatch { exchange.failed(failure) }
    }

    /// It is closed, or was taken over: no exchange goes over it any more.
    func left() {
        guard machine != nil else { return }
        machine = nil
        pool.forget(self)
    }

    /// What is known of it as one of HTTP/2 has changed.
    func tell(_ http2: HTTP2ConnectionFacts) { pool.onHTTP2Facts?(facts, http2) }

    /// The server's settings came.
    func tell(takesExtendedConnect: Bool) {
        pool.note(takesExtendedConnect: takesExtendedConnect, by: key.target)
    }

    /// How many streams its server said last that it takes at a time, on any connection.
    var rememberedStreamCountMax: UInt32? {
        pool.memory.streamCountMax(of: key.target, now: pool.loop.now)
    }

    /// Its server has said how many streams it takes at a time; nil for any number.
    func remember(streamCountMax: UInt32?) {
        pool.memory.note(streamCountMax: streamCountMax, of: key.target)
    }

    /// It has more room, or less.
    func roomChanged() { if machine != nil { pool.noteRoom(self) } }

    /// It was dead before a byte of the response came: the exchange goes over a new one.
    func repeatElsewhere(_ exchange: ClientExchange) { pool.connectFresh(exchange) }

    /// The server wants HTTP/1.1 (RFC 9113 §7): no further exchange goes over this one, and who
    /// asks hears what it wants.
    func requiresHTTP1() {
        guard machine != nil else { return }
        pool.noteHTTP1(key.target)
        machine?.leaveRoom()
        pool.noteRoom(self)
    }

    /// The pool is gone.
    func letGo() {
        machine = nil
        keeper = nil
    }
}
