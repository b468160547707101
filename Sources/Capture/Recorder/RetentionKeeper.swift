internal import ProxydCaptureModel
internal import ProxydCivilTime
internal import ProxydSystem

/// Decides which exchanges the retention policy removes.
struct RetentionKeeper {
    /// The estimated size of an exchange without its bodies, in bytes.
    private static let typicalByteCount: Int64 = 1_000
    /// The maximum size of its bodies in bytes; more is damage and must not affect others.
    private static let keptByteCountMax: Int64 = 1 << 40
    /// How long the cursor is valid, in nanoseconds: active exchanges are skipped, and end later.
    private static let memoryNs: Int64 = 60_000_000_000

    let policy: RetentionPolicy
    /// All exchanges up to this number are pinned, active or deleted.
    private(set) var cursor = Int64.min
    private var restartedAt = SystemClock.monotonicNow()

    init(_ policy: RetentionPolicy) { self.policy = policy }

    /// Starts from the oldest exchange again, because an exchange was unpinned.
    mutating func restart() {
        cursor = .min
        restartedAt = SystemClock.monotonicNow()
    }

    /// Notes that all exchanges up to a number are pinned or deleted.
    mutating func advance(to id: Int64) { cursor = max(cursor, id) }

    /// Returns a job if something has to be removed.
    mutating func nextJob(
        _ writer: StoreWriter, isSpaceScarce: Bool
    ) throws(StoreError) -> RemovalJob? {
        if SystemClock.monotonicNow() - restartedAt > RetentionKeeper.memoryNs { restart() }
        let victims = try victims(writer, isSpaceScarce: isSpaceScarce, countMax: 1)
        return victims.isEmpty ? nil : RemovalJob(.retention)
    }

    /// The exchanges that have to be removed, oldest first. Those that wait for delivery are among
    /// them only if space is scarce.
    func victims(
        _ writer: StoreWriter, isSpaceScarce: Bool, countMax: Int
    ) throws(StoreError) -> [Int64] {
        let excess = policy.exchangeCountMax.map { max(0, writer.exchangeCount &- $0) } ?? 0
        var excessByteCount = try excessByteCount(writer)
        guard excess > 0 || excessByteCount > 0 || policy.ageMaxSeconds != nil else { return [] }
        let cutoff = policy.ageMaxSeconds.map {
            SystemClock.wallNow() &- Nanoseconds.clamping(seconds: $0)
        }
        var victims: [Int64] = []
        let statement = try SQLiteStatement(
            writer.connection.database,
            """
            SELECT id, started_ns, \(StoredByteCount.sql)
            FROM exchange WHERE id > ?1 AND id <= ?3 AND state <> 0
              AND NOT EXISTS (SELECT 1 FROM annotation WHERE exchange_id = id AND pinned)
            ORDER BY id LIMIT ?2
            """)
        statement.bind(1, cursor)
        statement.bind(2, Int64(countMax))
        let isWaiting = policy.waitsForDelivery && !isSpaceScarce
        statement.bind(3, isWaiting ? writer.delivery.through ?? .max : .max)
        try statement.forEachRow { row in
            let isOld = cutoff.map { (row.integer(1) ?? 0) < $0 } ?? false
            if isOld || excessByteCount > 0 || Int64(victims.count) < excess {
                victims.append(row.integer(0) ?? 0)
                let kept = min(max(0, row.integer(2) ?? 0), RetentionKeeper.keptByteCountMax)
                excessByteCount -= kept + RetentionKeeper.typicalByteCount
            }
        }
        return victims
    }

    private func excessByteCount(_ writer: StoreWriter) throws(StoreError) -> Int64 {
        guard let limit = policy.storeByteCountMax else { return 0 }
        let connection = writer.connection
        let used =
            try connection.integer("PRAGMA page_count")
            - connection.integer("PRAGMA freelist_count")
        return max(0, used * connection.pageByteCount - limit)
    }
}

/// How much the store keeps. Pinned exchanges stay, whatever the limits.
public struct RetentionPolicy: Sendable, Hashable {
    /// Exchanges older than this many seconds are removed; nil for no limit.
    public var ageMaxSeconds: Int64?
    /// The maximum number of exchanges; nil for no limit.
    public var exchangeCountMax: Int64?
    /// The maximum size of the database file in bytes, without free pages; nil for no limit.
    public var storeByteCountMax: Int64?
    /// Whether exchanges stay until they are delivered to a central store, as long as the disk has
    /// room. Means nothing for a store that was never delivered.
    public var waitsForDelivery = true

    public init(
        ageMaxSeconds: Int64? = nil, exchangeCountMax: Int64? = nil, storeByteCountMax: Int64? = nil
    ) {
        self.ageMaxSeconds = ageMaxSeconds
        self.exchangeCountMax = exchangeCountMax
        self.storeByteCountMax = storeByteCountMax
    }
}

/// The size of the bodies of an exchange in the store.
enum StoredByteCount {
    /// An expression on a row of `exchange`. No column counts the bodies as forwarded, so the index
    /// of the last piece tells how many pieces there are.
    static let sql = """
        exchange.request_kept_bytes + exchange.response_kept_bytes
          + \(sent(.requestSent)) + \(sent(.responseSent)) + \(messages)
        """

    /// The messages that are not part of a body, plus the overhead of each row. Only exchanges that
    /// have such messages are looked up.
    private static let messages = """
        iif(exchange.message_count IS NULL, 0,
          ifnull((SELECT sum(ifnull(length(octets), 0) + 40) FROM message
            WHERE key BETWEEN exchange.id << \(Schema.ChunkKey.exchangeShift)
              AND (exchange.id << \(Schema.ChunkKey.exchangeShift))
                + \(Schema.MessageKey.positionMax)
              AND exchange.id >= \(Schema.ChunkKey.exchangeIDs.lowerBound)
              AND exchange.id < \(Schema.ChunkKey.exchangeIDs.upperBound)), 0))
        """

    private static func sent(_ part: BodyPart) -> String {
        let first = Schema.ChunkKey.key(exchange: 0, part: part, position: 0)
        let positionMax = Schema.ChunkKey.positionMax
        let ids = Schema.ChunkKey.exchangeIDs
        let start = "(exchange.id << \(Schema.ChunkKey.exchangeShift)) + \(first)"
        return """
            ifnull((SELECT ((max(key) & \(positionMax)) + 1) * \(ExchangeWriter.pieceByteCount)
              FROM body_piece WHERE key BETWEEN \(start) AND \(start) + \(positionMax)
              AND exchange.id >= \(ids.lowerBound) AND exchange.id < \(ids.upperBound)), 0)
            """
    }
}
