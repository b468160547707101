internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydTLS

/// Connections that wait for their next exchange.
extension HTTPTransport {
    /// Whether an open connection to a target has room for any client.
    public func hasIdleConnection(to target: ConnectTarget) -> Bool {
        buckets[ConnectionKey(target: target, owner: .shared)]?.isEmpty == false
    }

    /// Takes back a connection after one of its exchanges has ended.
    func checkIn(_ connection: PooledConnection) {
        noteRoom(connection)
        guard connection.isIdle else { return }
        busy.remove(connection)
        guard connection.configuration == configurationCount else { return connection.close() }
        if let keeper = connection.keeper, !keeper.isReleased {
            keep(connection)
        } else {
            addFree(connection)
        }
    }

    /// Removes a connection that closed or was taken over.
    func forget(_ connection: PooledConnection) {
        if connection.isMultiplexed { connection.bucket?.roomy.removeAll { $0 === connection } }
        if !busy.remove(connection), removeIdle(connection), let bucket = connection.bucket,
            bucket.isEmpty
        {
            removeBucket(bucket)
        }
        guard let keeper = connection.keeper else { return }
        connection.keeper = nil
        keeper.lost(connection)
    }

    /// Releases the connections reserved for a client connection that has closed, and closes those
    /// bound to it.
    public func release(_ affinity: ConnectionAffinity) {
        let latest = affinity.latest
        affinity.release()
        if let latest, !latest.isBound { setFree(latest) }
        for target in affinity.boundTargets {
            let bucket = buckets[affinity.key(for: target)]
            for connection in bucket?.idle ?? [] { connection.close() }
        }
    }

    /// Adds an idle connection to those reserved for a client connection, at most one for each. If
    /// no idle connections are allowed, only bound ones stay.
    func keep(_ connection: PooledConnection) {
        let mayStay = options.idlePerTargetCountMax > 0 && options.idleCountMax > 0
        guard mayStay || connection.isBound else { return connection.close() }
        bucket(of: connection).kept.add(connection)
        keptCount += 1
        armSweep()
    }

    /// A connection is no longer reserved for a client connection.
    func setFree(_ connection: PooledConnection) {
        connection.keeper = nil
        guard connection.isIdle, removeIdle(connection) else { return }
        addFree(connection)
    }

    func addFree(_ connection: PooledConnection) {
        let bucket = bucket(of: connection)
        guard !connection.isBound, bucket.free.count < options.idlePerTargetCountMax,
            freeCount < options.idleCountMax
        else { return connection.close() }
        bucket.free.append(connection)
        freeCount += 1
        armSweep()
    }

    /// Removes an idle connection from its bucket; returns false if it is in none.
    private func removeIdle(_ connection: PooledConnection) -> Bool {
        guard let bucket = connection.bucket else { return false }
        if bucket.kept.remove(connection) {
            keptCount -= 1
        } else if let index = bucket.free.lastIndex(where: { $0 === connection }) {
            bucket.free.remove(at: index)
            freeCount -= 1
        } else {
            return false
        }
        return true
    }

    /// Returns the listed bucket of a key, or nil.
    func bucket(_ key: ConnectionKey) -> PoolBucket? {
        if let latestBucket, latestBucket.isListed, latestBucket.key == key { return latestBucket }
        guard let bucket = buckets[key] else { return nil }
        latestBucket = bucket
        return bucket
    }

    /// Returns the bucket of a connection, creating it if necessary; the connection stores it, so
    /// that it is looked up once.
    func bucket(of connection: PooledConnection) -> PoolBucket {
        if let bucket = connection.bucket, bucket.isListed { return bucket }
        let bucket = buckets[connection.key] ?? PoolBucket(key: connection.key)
        buckets[connection.key] = bucket
        connection.bucket = bucket
        return bucket
    }

    func removeBucket(_ bucket: PoolBucket) {
        guard bucket.isListed else { return }
        bucket.isListed = false
        buckets.removeValue(forKey: bucket.key)
    }

    /// Takes a connection that can carry an exchange. An idle one is used only if the server has
    /// sent nothing since its last response: such bytes would be read as the next response (RFC
    /// 9112 §6.3).
    func take(_ key: ConnectionKey, for exchange: ClientExchange) -> PooledConnection? {
        while let connection = candidate(key, for: exchange) {
            guard connection.isIdle else { return connection }
            if connection.isSilent {
                _ = removeIdle(connection)
                return connection
            }
            connection.abort()
        }
        return nil
    }

    private func candidate(
        _ key: ConnectionKey, for exchange: ClientExchange
    ) -> PooledConnection? {
        let affinity = exchange.affinity
        if let latest = affinity?.latest, latest.isIdle, latest.key == key { return latest }
        guard let bucket = bucket(key) else { return nil }
        if let roomy = bucket.roomy.last { return roomy }
        guard let affinity, key.owner == .shared, !exchange.request.mayBeRepeated else {
            return bucket.newest
        }
        return bucket.newest(lastUsedBy: affinity.client)
    }
}

/// Makes connections. If file descriptors have run out, closes idle connections and tries again:
/// first those of this loop; if it has none, asks the other loops and waits for a short time.
final class EvictingConnector: Connecting {
    /// How long other loops get to close idle connections; 50 ms.
    private static let patienceNs: Int64 = 50_000_000
    private static let retryCountMax = 4

    private let loop: EventLoop
    private let connector: any Connecting
    /// Closes idle connections on this loop; returns whether there were any.
    var makeRoom: () -> Bool = { false }
    /// Asks the other loops to close idle connections.
    var askOthers: () -> Void = {}

    init(_ connector: any Connecting, loop: EventLoop) {
        self.connector = connector
        self.loop = loop
    }

    /// The current connection attempt, or the pause before the next one.
    private final class Attempt: Cancellable {
        var current: (any Cancellable)?
        var pause: Timer?

        func cancel() {
            pause?.cancel()
            current?.cancel()
        }
    }

    func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        let attempt = Attempt()
        start(
            attempt, retries: EvictingConnector.retryCountMax, to: target,
            deadlineNs: deadlineNs, completion: completion)
        return attempt
    }

    private func start(
        _ attempt: Attempt, retries: Int, to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) {
        attempt.current = connector.connect(to: target, deadlineNs: deadlineNs) { [self] result in
            guard case .failure(let failure) = result, failure.kind == .overloaded, retries > 0
            else { return completion(result) }
            let again = { [self] in
                start(
                    attempt, retries: retries - 1, to: target, deadlineNs: deadlineNs,
                    completion: completion)
            }
            if makeRoom() { return again() }
            askOthers()
            attempt.pause = loop.schedule(afterNs: EvictingConnector.patienceNs, again)
        }
    }

    func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        connector.secure(established, for: target, deadlineNs: deadlineNs, completion: completion)
    }

    func refusal(of target: ConnectTarget) -> ExchangeFailure? { connector.refusal(of: target) }

    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext) {
        connector.reconfigure(limits, clientContext: clientContext)
    }
}
