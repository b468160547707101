internal import ProxydCaptureModel

/// The recorder's view of the delivery to a central store: how far it has got, and the changes by
/// users that have to follow. Its methods write; call them inside a transaction only.
struct DeliveryLog {
    /// Higher sequence numbers are damage; there is room for as many again.
    private static let sequenceMax: Int64 = 1 << 61

    /// All exchanges up to this number were delivered; nil if the store was never delivered.
    private(set) var through: Int64?
    /// The number of exchanges that retention removed before they were delivered.
    private var lostCount: Int64
    private var lastSequence: Int64

    /// Reads the state of a store.
    init(_ connection: StoreConnection) throws(StoreError) {
        through = try connection.database.integer("SELECT delivered_through FROM store_state")
        lostCount = try connection.integer(
            "SELECT iif(undelivered_lost > 0, undelivered_lost, 0) FROM store_state")
        let known = "BETWEEN 0 AND \(DeliveryLog.sequenceMax)"
        lastSequence = try connection.integer(
            """
            SELECT max(
              iif(last_change_sequence \(known), last_change_sequence, 0),
              coalesce((SELECT max(sequence) FROM change WHERE sequence \(known)), 0))
            FROM store_state
            """)
    }

    /// Notes a change by a user, unless the store was never delivered.
    mutating func note(
        _ kind: ExchangeChange.Kind, _ runs: [ClosedRange<Int64>], _ connection: StoreConnection
    ) throws(StoreError) {
        guard through != nil, !runs.isEmpty else { return }
        let statement = try SQLiteStatement(
            connection.database, "INSERT OR REPLACE INTO change VALUES (?1, ?2, ?3, ?4)")
        for run in runs {
            lastSequence += 1
            statement.bind(1, lastSequence)
            statement.bind(2, run.lowerBound)
            statement.bind(3, run.upperBound)
            statement.bind(4, kind.rawValue)
            try statement.run()
        }
        try connection.database.run(
            "UPDATE store_state SET last_change_sequence = ?1", [.integer(lastSequence)])
    }

    /// Notes how far the store was delivered, and deletes the delivered changes.
    mutating func note(
        _ progress: DeliveryProgress, _ connection: StoreConnection
    ) throws(StoreError) {
        through = progress.through
        try connection.database.run(
            "UPDATE store_state SET delivered_through = ?1, delivery_mark = ?2",
            [.integer(progress.through), .integer(progress.mark)])
        try connection.database.run(
            "DELETE FROM change WHERE sequence <= ?1", [.integer(progress.changesThrough)])
    }

    /// Counts exchanges that retention removes before they were delivered.
    mutating func noteLost(
        _ count: Int64, _ connection: StoreConnection
    ) throws(StoreError) {
        lostCount &+= count
        try connection.database.run(
            "UPDATE store_state SET undelivered_lost = ?1", [.integer(lostCount)])
    }

    /// How many of these exchanges were not delivered; 0 if the store never was.
    func undeliveredCount(in ids: [Int64]) -> Int64 {
        guard let through else { return 0 }
        return Int64(ids.count { $0 > through })
    }
}
