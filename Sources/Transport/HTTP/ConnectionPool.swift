internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The pool of connections, by key.
extension HTTPTransport {
    /// Sends an exchange over a connection with room for it, otherwise over a prepared one,
    /// otherwise over a new one.
    func run(_ exchange: ClientExchange, prepared: PreparedConnection?) {
        let key = exchange.key
        if key.target.takesRequests {
            let url = exchange.request.message.url
            let server = ConnectTarget(host: url.host, port: url.port, tls: nil)
            if let refusal = connector.refusal(of: server) {
                return loop.afterDispatch { exchange.failed(refusal) }
            }
        }
        if let connection = take(key, for: exchange) {
            start(exchange, on: connection)
        } else if key.owner != .shared, exchange.affinity?.hasLostBound == true {
            // A new connection would not have the login that the server associated with the lost
            // one.
            loop.afterDispatch { exchange.failedUnanswered(.closedEarly) }
        } else if let established = prepared?.take() {
            use(established, for: exchange)
        } else {
            connectFresh(exchange)
        }
    }

    /// Sends an exchange over a new connection. If an attempt in progress may result in an HTTP/2
    /// connection, it waits for that.
    func connectFresh(_ exchange: ClientExchange) {
        let key = exchange.key
        if let pending = connecting[key] { return wait(in: pending, exchange, key) }
        connect(begin(exchange), key)
    }

    /// Sends an exchange over an established connection, after securing it if necessary.
    private func use(_ established: EstablishedConnection, for exchange: ClientExchange) {
        let target = exchange.request.target
        let isUsable =
            target.hasPriorKnowledge
            ? established.stream.isOpen
            : established.early.isEmpty && established.stream.isSilent()
        guard isUsable else {
            established.stream.abort()
            return connectFresh(exchange)
        }
        guard target.tls != nil, established.security == nil else {
            let connection = pooled(established, key: exchange.key, under: configurationCount)
            return start(exchange, on: connection)
        }
        let (pending, key) = (begin(exchange), exchange.key)
        pending.attempt = connector.secure(
            established, for: target, deadlineNs: connectDeadlineNs
        ) { [weak self] in self?.connected($0, pending, key) }
    }

    /// Lets an exchange, and those of the same key after it, wait for a new connection.
    private func begin(_ exchange: ClientExchange) -> PendingConnect {
        let key = exchange.key
        let pending = PendingConnect(configuration: configurationCount)
        if key.target.mayBeShared, connecting[key] == nil { connecting[key] = pending }
        wait(in: pending, exchange, key)
        return pending
    }

    private func connect(_ pending: PendingConnect, _ key: ConnectionKey) {
        pending.attempt = connector.connect(to: key.target, deadlineNs: connectDeadlineNs) {
            [weak self] in self?.connected($0, pending, key)
        }
    }

    var connectDeadlineNs: Int64 { loop.now &+ options.connectTimeoutNs }

    func wait(in pending: PendingConnect, _ exchange: ClientExchange, _ key: ConnectionKey) {
        pending.add(exchange)
        exchange.cancelConnecting = { [weak self, unowned exchange] in
            if pending.remove(exchange) { self?.unlist(pending, key) }
        }
    }

    private func unlist(_ pending: PendingConnect, _ key: ConnectionKey) {
        if connecting[key] === pending { connecting[key] = nil }
    }

    /// Starts the exchanges that waited for a new connection on it, as far as it has room. If it
    /// uses HTTP/1, each of the others gets a connection of its own.
    private func connected(
        _ result: Result<EstablishedConnection, ExchangeFailure>, _ pending: PendingConnect,
        _ key: ConnectionKey
    ) {
        unlist(pending, key)
        let waiting = pending.waiting.filter { !$0.isFinished }
        switch result {
        case .success(let established):
            guard let first = waiting.first else { return keep(established, pending, key) }
            let connection = pooled(established, key: key, under: pending.configuration)
            start(first, on: connection)
            for exchange in waiting.dropFirst() where !exchange.isFinished {
                run(exchange, isAlone: !connection.isMultiplexed)
            }
        case .failure(let failure):
            for tell in answerWatch.take(key.target) { tell() }
            for exchange in waiting { exchange.failed(failure) }
        }
    }

    /// Keeps a connection for later exchanges if that was its purpose.
    private func keep(
        _ established: EstablishedConnection, _ pending: PendingConnect, _ key: ConnectionKey
    ) {
        guard pending.isKept, pending.configuration == configurationCount else {
            return established.stream.abort()
        }
        offer(established, key)
    }

    /// Connects to a server of which it is not known whether it supports extended CONNECT, unless
    /// that is under way. Requests that come meanwhile wait for the connection, and it is kept for
    /// later ones. Returns false if there is no room for that.
    func learn(_ target: ConnectTarget) -> Bool {
        let key = ConnectionKey(target: target, owner: .shared)
        guard connecting[key] == nil, !hasShared(target) else { return true }
        guard hasRoomForIdle(key), !target.takesRequests else { return false }
        let pending = PendingConnect(configuration: configurationCount, isKept: true)
        connecting[key] = pending
        connect(pending, key)
        return true
    }

    /// Sends an exchange for which the connection had no room; with an attempt of its own if the
    /// connection does not use HTTP/2, since waiting together would fail again.
    private func run(_ exchange: ClientExchange, isAlone: Bool) {
        guard isAlone else { return run(exchange, prepared: nil) }
        let pending = PendingConnect(configuration: configurationCount)
        let key = exchange.key
        wait(in: pending, exchange, key)
        connect(pending, key)
    }

    private func pooled(
        _ established: EstablishedConnection, key: ConnectionKey, under configuration: Int
    ) -> PooledConnection {
        let facts = ConnectionFacts(of: established, id: onEstablished?(established))
        let connection = PooledConnection(
            key: key, facts: facts, configuration: configuration, pool: self)
        connection.install(makeMachine(established, connection, options))
        note(established, to: key.target)
        if !established.early.isEmpty { connection.machine?.receive(early: established.early) }
        return connection
    }

    /// Adds a new connection that has not been used.
    func offer(_ established: EstablishedConnection, _ key: ConnectionKey) {
        let connection = pooled(established, key: key, under: configurationCount)
        // What the server has sent may have ended it.
        if connection.isIdle { addFree(connection) }
    }

    func hasRoomForIdle(_ key: ConnectionKey) -> Bool {
        freeCount < options.idleCountMax
            && buckets[key]?.free.count ?? 0 < options.idlePerTargetCountMax
    }

    /// Whether there is a connection to a target that several exchanges can share.
    func hasShared(_ target: ConnectTarget) -> Bool {
        let bucket = buckets[ConnectionKey(target: target, owner: .shared)]
        guard let bucket else { return false }
        return bucket.roomy.last != nil || bucket.free.contains { $0.isMultiplexed }
    }

    private func start(_ exchange: ClientExchange, on connection: PooledConnection) {
        if connection.isIdle { busy.add(connection) }
        // A connection that reports unprocessed requests is not reserved for any client.
        if !connection.isMultiplexed, connection.keeper !== exchange.affinity {
            give(connection, to: exchange.affinity)
        }
        connection.start(exchange)
        noteRoom(connection)
    }

    /// A busy connection changes its key: it must not be found by the old one.
    func unlist(_ connection: PooledConnection) {
        connection.bucket?.roomy.removeAll { $0 === connection }
        if let bucket = connection.bucket, bucket.isEmpty { removeBucket(bucket) }
        connection.bucket = nil
    }

    /// Lists a busy connection that has room, or removes one that has none left.
    func noteRoom(_ connection: PooledConnection) {
        guard connection.isMultiplexed else { return }
        let hasRoom =
            connection.runningCount > 0 && connection.hasRoom
            && connection.configuration == configurationCount
        let bucket = bucket(of: connection)
        let index = bucket.roomy.lastIndex { $0 === connection }
        if hasRoom, index == nil { bucket.roomy.append(connection) }
        if !hasRoom, let index { bucket.roomy.remove(at: index) }
    }

    /// Reserves a connection for another client connection, or for none.
    func give(_ connection: PooledConnection, to affinity: ConnectionAffinity?) {
        if let former = connection.keeper, former.latest === connection { former.latest = nil }
        connection.keeper = affinity
        guard let affinity else { return }
        if let former = affinity.latest, !former.isBound { setFree(former) }
        affinity.latest = connection
    }

    // MARK: Closing

    /// Closes every idle connection cleanly.
    public func closeIdle() {
        for bucket in buckets.values {
            for connection in bucket.idle { connection.close() }
        }
    }

    /// Closes every idle connection immediately, except bound ones: after a clean close, each would
    /// keep its descriptor until the server has ended its side too. Returns whether there was any.
    @discardableResult
    public func abortIdle() -> Bool {
        let all = buckets.values.flatMap(\.idle).filter { !$0.isBound }
        for connection in all { connection.abort() }
        return !all.isEmpty
    }

    func armSweep() {
        guard sweepTimer == nil else { return }
        sweepTimer = loop.schedule(afterNs: options.idleTimeoutNs) { [weak self] in self?.sweep() }
    }

    /// Closes connections that have been idle too long. Bound ones end with their client.
    private func sweep() {
        sweepTimer = nil
        let oldest = loop.now &- options.idleTimeoutNs
        for bucket in buckets.values {
            for connection in bucket.idle
            where connection.idleSince <= oldest && !connection.isBound {
                connection.close()
            }
            if bucket.isEmpty { removeBucket(bucket) }
        }
        if freeCount + keptCount > 0 { armSweep() }
    }
}

/// The key under which the pool stores server connections: those with equal keys are
/// interchangeable.
struct ConnectionKey: Hashable {
    let target: ConnectTarget
    let owner: ConnectionOwner
}

/// The owner of a server connection: it carries only requests of the same owner.
enum ConnectionOwner: Hashable {
    /// All clients: the server does not associate the connection with one of them.
    case shared
    /// One client connection: what the server knows about the connection, such as a login, belongs
    /// to that client alone.
    case client(ConnectionID)
}

/// The connections of one key that can take an exchange. Confined to the pool's loop.
final class PoolBucket {
    let key: ConnectionKey
    // Exclusive: who removes a connection has a reference to it, so nothing is released
    // meanwhile; closures only compare connections.

    /// Idle connections that are not reserved for a client connection, the newest last.
    @exclusivity(unchecked) var free: [PooledConnection] = []
    /// Idle connections reserved for the client connection that they served last.
    @exclusivity(unchecked) var kept = IndexedSet<PooledConnection>()
    /// Busy connections with room, the one that got room last at the end.
    @exclusivity(unchecked) var roomy: [PooledConnection] = []
    /// Whether the pool has it listed under its key; otherwise the key has another bucket or none.
    var isListed = true

    init(key: ConnectionKey) { self.key = key }

    var isEmpty: Bool { free.isEmpty && kept.isEmpty && roomy.isEmpty }
    var idle: [PooledConnection] { free + kept.all }

    /// An idle connection that may carry any request, preferably one that is not reserved for a
    /// client.
    var newest: PooledConnection? { free.last ?? kept.last }

    /// An idle connection that has last served this client connection, or a new HTTP/2 connection
    /// that has not served any.
    func newest(lastUsedBy client: ConnectionID) -> PooledConnection? {
        free.last { $0.lastClient == client || ($0.isMultiplexed && $0.isUnused) }
    }
}

/// Exchanges that wait for one connection: if it turns out to use HTTP/2, it may carry all of them,
/// and one connection each would be too many. Confined to the pool's loop.
final class PendingConnect {
    /// The pool's configuration number when the attempt started.
    let configuration: Int
    /// Whether the connection is made even if no exchange waits for it.
    let isKept: Bool
    private(set) var waiting: [ClientExchange] = []
    var attempt: (any Cancellable)?

    init(configuration: Int, isKept: Bool = false) {
        self.configuration = configuration
        self.isKept = isKept
    }

    func add(_ exchange: ClientExchange) { waiting.append(exchange) }

    /// Removes a cancelled exchange; if it was the last one, cancels an attempt that is made only
    /// for exchanges and returns true.
    func remove(_ exchange: ClientExchange) -> Bool {
        waiting.removeAll { $0 === exchange }
        guard waiting.isEmpty, !isKept else { return false }
        attempt?.cancel()
        return true
    }
}
