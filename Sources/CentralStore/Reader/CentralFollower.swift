package import ProxydCaptureModel
package import ProxydFilter
internal import ProxydHTTPModel

/// Finds what shippers delivered since the last call, whatever the order of their commits.
package struct CentralFollower {
    /// How far a shipper had come.
    private struct Cursor: Equatable {
        let throughID: Int64
        let openIDs: [Int64]
        let lineage: ShipperLineage

        /// The numbers of its open exchanges in the central store.
        var openCentralIDs: [Int64] { openIDs.map(lineage.id) }
    }

    private let reader: CentralReader
    private let filter: Filter
    private var cursors: [Int64: Cursor]
    /// The exchanges that were returned while they were active.
    private var active: Set<ExchangeID> = []

    /// Follows from now on; everything in the store already counts as seen.
    package init(_ reader: CentralReader, _ filter: Filter) throws(StoreError) {
        self.reader = reader
        self.filter = filter
        cursors = try CentralFollower.cursors(reader)
        active = Set(cursors.values.flatMap(\.openCentralIDs).map(ExchangeID.init(rawValue:)))
    }

    /// Returns matching rows that are new or have ended since the last call, in the order in which
    /// they started. An active exchange is returned twice: when it is first seen and when it ends.
    package mutating func news() throws(StoreError) -> [ExchangeRow] {
        let found = try CentralFollower.cursors(reader)
        let conditions = found.sorted { $0.key < $1.key }.compactMap { number, cursor in
            CentralFollower.news(of: number, from: cursors[number], to: cursor)
        }
        guard !conditions.isEmpty else { return [] }
        let query = CentralQuery(filter).restricted(by: .disjunction(conditions))
        let statement = query.statement(
            CentralReader.rowSQL, "ORDER BY exchange.started_at, exchange.id")
        let rows = try reader.passing(
            reader.rows(statement.sql, statement.arguments), query.residual)
        cursors = found
        let fresh = rows.filter { $0.state != .active || !active.contains($0.id) }
        for row in fresh {
            if row.state == .active { active.insert(row.id) } else { active.remove(row.id) }
        }
        return fresh
    }

    /// A condition for what a shipper delivered between two places; nil if it delivered nothing.
    private static func news(
        of shipper: Int64, from former: Cursor?, to cursor: Cursor
    ) -> PostgresFragment? {
        guard former != cursor else { return nil }
        let argument = PostgresFragment.argument
        let first = CentralID.id(shipper: shipper, number: former?.throughID ?? 0)
        let last = CentralID.id(shipper: shipper, number: cursor.throughID)
        let new = PostgresFragment(
            "(exchange.id > \(argument) AND exchange.id <= \(argument))",
            [.integer(first), .integer(last)])
        guard let open = former?.openCentralIDs, !open.isEmpty else { return new }
        let later = PostgresFragment("exchange.id = ANY (\(argument))", [.integers(open)])
        return .disjunction([new, later])
    }

    /// Each row has a shipper and the earlier ones of its store, the latest first.
    private static let placesSQL = """
        SELECT no, through_id, open_ids,
          ARRAY(SELECT one.no::bigint \(generationsSQL)),
          ARRAY(SELECT one.forked_after \(generationsSQL))
        FROM shipper
        """
    private static let generationsSQL = """
        FROM shipper one WHERE (one.store_id, one.base_name) = (shipper.store_id, \
        shipper.base_name) AND one.generation <= shipper.generation ORDER BY one.generation DESC
        """

    private static func cursors(_ reader: CentralReader) throws(StoreError) -> [Int64: Cursor] {
        let pairs = try reader.use { connection throws(CentralError) in
            try connection.rows(placesSQL) { row in
                row.integer(0).map { number in
                    let generations = zip(row.integers(3), row.integers(4)).map {
                        ShipperLineage.Generation(shipper: $0, after: $1)
                    }
                    let cursor = Cursor(
                        throughID: row.integer(1) ?? 0, openIDs: row.integers(2),
                        lineage: ShipperLineage(generations))
                    return (number, cursor)
                }
            }
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
