internal import HTTPModel

/// What is written in one transaction: each exchange once, with all its news since the last one.
struct RecorderBatch: Sendable {
    /// Connections, in the order they became known.
    private(set) var connections: [ConnectionRecord] = []
    /// Exchanges, in the order they were first heard of.
    var updates: [ExchangeUpdate] = []
    /// What it held on to in the queue, in octets.
    private(set) var heldByteCount = 0
    private var places: [ExchangeID: Int] = [:]
    /// News beyond this stay apart: joining pieces of a large body would copy it again and again.
    private static let mergedByteCountMax = 256 << 10

    /// Nothing yet.
    init() {}

    /// Nothing yet, with room for as many exchanges as another batch had: growing would move them
    /// again and again.
    init(sizedLike other: RecorderBatch) {
        updates.reserveCapacity(min(other.updates.count, RecorderBatch.roomCountMax))
    }

    private static let roomCountMax = 256

    /// Whether there is nothing to write.
    var isEmpty: Bool { updates.isEmpty && connections.isEmpty }

    /// Forgets the updates up to a place, and the connections; what it held stays as it is said.
    mutating func drop(upTo place: Int) {
        connections = []
        updates.removeFirst(place)
        places = [:]
    }

    /// The same news as one batch for each exchange, connections first.
    var singles: [RecorderBatch] {
        var first = RecorderBatch()
        first.connections = connections
        return [first]
            + updates.map { update in
                var single = RecorderBatch()
                single.updates = [update]
                return single
            }
    }

    /// Adds a connection; returns the octets it holds.
    mutating func add(_ connection: ConnectionRecord) -> Int {
        let chain = connection.security?.peerCertificates.reduce(0) { $0 + $1.count } ?? 0
        let count = 256 + chain
        connections.append(connection)
        heldByteCount += count
        return count
    }

    /// Adds news of an exchange to what is known of it; returns the octets held for it.
    mutating func add(_ update: consuming ExchangeUpdate) -> Int {
        var count = update.heldByteCount
        if update.isFirst, update.state != .active {
            // Most exchanges are one update: they need no look-up.
            updates.append(update)
        } else if let place = places[update.id],
            updates[place].heldByteCount + count < RecorderBatch.mergedByteCountMax
        {
            count -= ExchangeUpdate.emptyByteCount
            updates[place].merge(update)
        } else {
            places[update.id] = updates.count
            updates.append(update)
        }
        heldByteCount += count
        return count
    }
}

extension ExchangeUpdate {
    /// What `heldByteCount` says of an update without heads and bodies.
    fileprivate static let emptyByteCount = 512

    /// Adds later news of the same exchange.
    mutating func merge(_ later: consuming ExchangeUpdate) {
        state = later.state
        timeline = later.timeline
        clientConnection = later.clientConnection ?? clientConnection
        serverConnection = later.serverConnection ?? serverConnection
        url = later.url ?? url
        requestHead = later.requestHead ?? requestHead
        malformedHead = later.malformedHead ?? malformedHead
        requestBody.merge(later.requestBody)
        requestTrailers = later.requestTrailers ?? requestTrailers
        informational.append(contentsOf: later.informational)
        responseHead = later.responseHead ?? responseHead
        responseBody.merge(later.responseBody)
        responseTrailers = later.responseTrailers ?? responseTrailers
        failure = later.failure ?? failure
        upgradedTo = later.upgradedTo ?? upgradedTo
        replayOf = later.replayOf ?? replayOf
    }
}

extension ExchangeUpdate.BodyProgress {
    /// Adds later news of the same body; the queue lets nothing in that comes behind a gap.
    fileprivate mutating func merge(_ later: Self) {
        if appended.isEmpty {
            appended = later.appended
        } else {
            appended.append(contentsOf: later.appended)
        }
        byteCount = max(byteCount, later.byteCount)
        isComplete = isComplete || later.isComplete
    }
}
