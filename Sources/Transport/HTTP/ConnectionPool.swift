internal import EventLoops
internal import HTTPModel
internal import HTTPWire

/// The kept-alive server connections of one loop, by target; confined to that loop.
///
/// Newest first: a connection used a moment ago is the least likely to have been closed by the
/// server. Idle connections are read from, so that a server's close is noticed at once.
final class ConnectionPool {
    private let loop: EventLoop
    private let connector: any Connecting
    private var options: HTTPTransport.Options
    private var idle: [ConnectTarget: IdleConnections] = [:]
    /// Connections on which an exchange runs, each of which knows its place. They are held here, as
    /// nobody else owns them.
    private var busy = PlacedList<HTTP1Connection>()
    private var idleCount = 0
    private var sweepTimer: Timer?
    /// Numbers and records a new connection.
    var onEstablished: ((EstablishedConnection) -> ConnectionID)?

    init(loop: EventLoop, connector: any Connecting, options: HTTPTransport.Options) {
        self.loop = loop
        self.connector = connector
        self.options = options
    }

    // The idle ones know those they wait with.
    deinit { for line in idle.values { line.connections = [] } }

    /// Other bounds, for what comes from now on. Idle connections are closed: they were made under
    /// another idea of whom to trust.
    func reconfigure(_ options: HTTPTransport.Options) {
        self.options = options
        closeIdle()
    }

    /// Connections open now.
    var connectionCount: Int { busy.count + idleCount }

    /// Sends an exchange over a kept-alive connection, else over a prepared one, else over a new
    /// one.
    func run(_ exchange: ClientExchange, prepared: PreparedConnection?) {
        if let connection = takeIdle(exchange.request.target) {
            start(exchange, on: connection)
        } else if let established = prepared?.take() {
            use(established, for: exchange)
        } else {
            connectFresh(exchange)
        }
    }

    /// Sends an exchange over a new connection.
    func connectFresh(_ exchange: ClientExchange) {
        let attempt = connector.connect(
            to: exchange.request.target, deadlineNs: loop.now &+ options.connectTimeoutNs
        ) { [weak self] in self?.connected($0, for: exchange) }
        exchange.cancelConnecting = { attempt.cancel() }
    }

    /// Sends an exchange over a plain connection that stands, made secure first where need be.
    private func use(_ established: EstablishedConnection, for exchange: ClientExchange) {
        let target = exchange.request.target
        guard target.tls != nil else { return connected(.success(established), for: exchange) }
        let attempt = connector.secure(
            established, for: target, deadlineNs: loop.now &+ options.connectTimeoutNs
        ) { [weak self] in self?.connected($0, for: exchange) }
        exchange.cancelConnecting = { attempt.cancel() }
    }

    private func connected(
        _ result: Result<EstablishedConnection, ExchangeFailure>, for exchange: ClientExchange
    ) {
        switch result {
        case .success(let established):
            guard !exchange.isFinished else { return established.stream.abort() }
            start(exchange, on: adopt(established, for: exchange.request.target))
        case .failure(let failure): exchange.failed(failure)
        }
    }

    private func start(_ exchange: ClientExchange, on connection: HTTP1Connection) {
        busy.add(connection)
        connection.start(exchange)
    }

    /// Whether an idle connection to a target stands.
    func hasIdle(_ target: ConnectTarget) -> Bool { idle[target]?.connections.isEmpty == false }

    /// Takes a connection whose exchange is over.
    func checkIn(_ connection: HTTP1Connection) {
        busy.remove(connection)
        let line = line(of: connection)
        guard line.connections.count < options.idlePerTargetCountMax,
            idleCount < options.idleCountMax
        else { return connection.closeIdle() }
        connection.becomeIdle(now: loop.now)
        line.connections.append(connection)
        idleCount += 1
        armSweep()
    }

    /// Lets go of a connection that closed or was taken over.
    func forget(_ connection: HTTP1Connection) {
        if busy.remove(connection) { return }
        guard let line = idle[connection.target],
            let place = line.connections.firstIndex(where: { $0 === connection })
        else { return }
        line.connections.remove(at: place)
        idleCount -= 1
        if line.connections.isEmpty { strike(connection.target) }
    }

    /// The idle ones that a connection belongs to; it knows them, so that they are looked up once.
    private func line(of connection: HTTP1Connection) -> IdleConnections {
        if let line = connection.line, line.isListed { return line }
        let line = idle[connection.target] ?? IdleConnections()
        idle[connection.target] = line
        connection.line = line
        return line
    }

    private func strike(_ target: ConnectTarget) {
        idle.removeValue(forKey: target)?.isListed = false
    }

    /// Closes every idle connection.
    func closeIdle() {
        for connection in takeAllIdle() { connection.closeIdle() }
    }

    /// Closes every idle connection at once: in good order, each would keep its descriptor until
    /// the server has ended its side too. Says whether there was any.
    func abortIdle() -> Bool {
        let all = takeAllIdle()
        for connection in all { connection.abandon() }
        return !all.isEmpty
    }

    private func takeAllIdle() -> [HTTP1Connection] {
        defer {
            for line in idle.values {
                line.isListed = false
                line.connections = []
            }
            idle = [:]
            idleCount = 0
            sweepTimer?.cancel()
            sweepTimer = nil
        }
        return idle.values.flatMap(\.connections)
    }

    private func adopt(
        _ established: EstablishedConnection, for target: ConnectTarget
    ) -> HTTP1Connection {
        HTTP1Connection(
            established: established, target: target, id: onEstablished?(established),
            limits: options.wireLimits, pool: self)
    }

    private func takeIdle(_ target: ConnectTarget) -> HTTP1Connection? {
        guard let connection = idle[target]?.connections.popLast() else { return nil }
        idleCount -= 1
        return connection
    }

    private func armSweep() {
        guard sweepTimer == nil else { return }
        sweepTimer = loop.schedule(afterNs: options.idleTimeoutNs) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        sweepTimer = nil
        let oldest = loop.now &- options.idleTimeoutNs
        for (target, line) in idle {
            let connections = line.connections
            line.connections = connections.filter { $0.idleSince > oldest }
            idleCount -= connections.count - line.connections.count
            if line.connections.isEmpty { strike(target) }
            for connection in connections where connection.idleSince <= oldest {
                connection.closeIdle()
            }
        }
        if idleCount > 0 { armSweep() }
    }
}
