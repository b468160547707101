internal import ProxydHTTPModel

/// What is written in one transaction: each exchange once, with all its updates since the last one.
struct RecorderBatch: Sendable {
    /// Connections, in the order they became known.
    private(set) var connections: [ConnectionRecord] = []
    /// Short exchanges that have ended, in the order they ended.
    var rows: [RecordedRow] = []
    /// All other exchanges, in the order of their first updates.
    var updates: [ExchangeUpdate] = []
    /// The memory the batch took in the queue, in bytes.
    private(set) var memoryByteCount = 0
    /// The part of it that connections took.
    private(set) var connectionByteCount = 0
    private var places: [ExchangeID: Int] = [:]
    /// Larger updates are not merged: joining the pieces of a large body would copy it repeatedly.
    private static let mergedByteCountMax = 256 << 10

    init() {}

    /// Creates an empty batch with capacity for as many exchanges as another batch had, because
    /// growing would move them repeatedly.
    init(sizedLike other: RecorderBatch) {
        rows.reserveCapacity(min(other.rows.count, RecorderBatch.roomCountMax))
        updates.reserveCapacity(min(other.updates.count, RecorderBatch.roomCountMax))
    }

    private static let roomCountMax = 1024

    var isEmpty: Bool { rows.isEmpty && updates.isEmpty && connections.isEmpty }

    var begunCount: Int { rows.count + updates.count { $0.isFirst } }

    /// The same updates as one batch per exchange, connections first.
    var singles: [RecorderBatch] {
        [single { $0.connections = connections }]
            + rows.map { row in single { $0.rows = [row] } }
            + updates.map { update in single { $0.updates = [update] } }
    }

    private func single(_ fill: (inout RecorderBatch) -> Void) -> RecorderBatch {
        var batch = RecorderBatch()
        fill(&batch)
        return batch
    }

    /// Drops the first of its `singles`; `memoryByteCount` does not change.
    mutating func drop(singles count: Int) {
        guard count > 0 else { return }
        connections = []
        let rowCount = min(rows.count, count - 1)
        rows.removeFirst(rowCount)
        updates.removeFirst(count - 1 - rowCount)
        places = [:]
    }

    mutating func add(_ connection: ConnectionRecord) {
        connections.append(connection)
        memoryByteCount += connection.memoryByteCount
        connectionByteCount += connection.memoryByteCount
    }

    /// Adds a short exchange; returns how many bytes of memory it takes.
    mutating func add(_ row: consuming RecordedRow) -> Int {
        let count = row.memoryByteCount
        rows.append(row)
        memoryByteCount += count
        return count
    }

    /// Merges an update into its exchange's known state; returns how much memory it takes.
    mutating func add(_ update: consuming ExchangeUpdate) -> Int {
        var count = update.memoryByteCount
        if update.isFirst, update.state != .active {
            // No more updates of this exchange will follow.
            updates.append(update)
        } else if let place = places[update.id],
            updates[place].memoryByteCount + count < RecorderBatch.mergedByteCountMax
        {
            count -= ExchangeUpdate.emptyByteCount
            updates[place].merge(update)
        } else {
            places[update.id] = updates.count
            updates.append(update)
        }
        memoryByteCount += count
        return count
    }
}

extension ConnectionRecord {
    /// The memory it takes in the queue, in bytes.
    var memoryByteCount: Int {
        256 + (security?.peerCertificates.reduce(0) { $0 + $1.count } ?? 0)
            + (http2.map { $0.frames.count + 64 } ?? 0)
    }
}

extension ExchangeUpdate {
    /// The `memoryByteCount` of an update without heads and bodies.
    fileprivate static let emptyByteCount = 512
}
