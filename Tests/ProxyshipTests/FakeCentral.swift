import Testing

@testable import ProxydCentralStore

/// A central store as far as a registration speaks with it.
final class FakeCentral: CentralConnection {
    /// Who delivered the store before; nil if no one did.
    var known: Known?
    /// When exchanges that were delivered started, by their numbers in the central store.
    var starts: [Int64: Int64] = [:]
    /// The arguments of what was written.
    private(set) var inserted: [[CentralValue]] = []
    private(set) var updated: [[CentralValue]] = []
    /// The statements without arguments.
    private(set) var executed: [String] = []

    /// A shipper that is registered, as ci-1 with number 1.
    struct Known {
        var fingerprint: String
        var mark: Int64
        var through: Int64
    }

    private struct NoCanceller: CentralCanceller {
        func cancel() {}
        func reset() {}
    }

    var canceller: any CentralCanceller { NoCanceller() }

    @discardableResult
    func run(
        _ statement: CentralStatement,
        onColumns: ([CentralRow.Column]) throws(CentralError) -> Void,
        onRow: (CentralRow) throws(CentralError) -> Bool
    ) throws(CentralError) -> Int64 {
        let rows = answer(statement.sql, statement.arguments)
        for values in rows {
            guard try onRow(CentralRow(values)) else { break }
        }
        return Int64(rows.count)
    }

    func execute(_ sql: String) throws(CentralError) { executed.append(sql) }

    func copy(
        _ sql: String, _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws(CentralError) {
        throw CentralError.connection("nothing is copied here")
    }

    private func answer(_ sql: String, _ arguments: [CentralValue]) -> [[CentralValue]] {
        if sql.hasPrefix("INSERT INTO shipper") {
            inserted.append(arguments)
            return [FakeCentral.row(ofInserted: arguments)]
        }
        if sql.hasPrefix("UPDATE shipper") { updated.append(arguments) }
        if sql.hasPrefix("SELECT no, name") { return known.map { [FakeCentral.row($0)] } ?? [] }
        if sql.hasPrefix("SELECT no, forked_after") { return [[.integer(1), .integer(0)]] }
        if sql.hasPrefix("SELECT max(generation)") { return [[.integer(2)]] }
        if sql.hasPrefix("SELECT id, started_ns"), case .integers(let ids)? = arguments.first {
            return ids.compactMap { id in
                starts[id].map { [CentralValue.integer(id), CentralValue.integer($0)] }
            }
        }
        return []
    }

    /// The columns of `ShipperState`.
    private static func row(_ known: Known) -> [CentralValue] {
        [
            .integer(1), .text("ci-1"), .text(known.fingerprint), .integer(known.mark),
            .integer(known.mark), .integer(known.through), .integers([]), .integer(0),
            .integer(known.through), .integer(0), .integer(known.through), .text("ci-1"),
            .integer(0),
        ]
    }

    private static func row(ofInserted values: [CentralValue]) -> [CentralValue] {
        let (mark, through) = (values[4], values[5])
        return [
            values[2], values[0], values[3], mark, mark, through, values[7], .integer(0),
            .integer(0), .integer(0), through, values[8], through,
        ]
    }
}

extension CentralRow {
    /// A row as the server returns it for some values.
    init(_ values: [CentralValue]) {
        self.init(
            columns: values.map { CentralRow.Column(name: "", type: $0.typeNumber) },
            values: values.map(\.encoded))
    }
}

extension ShipperState {
    /// A shipper that has come this far.
    static func sample(
        through: Int64 = 0, open: [Int64] = [], changes: Int64 = 0
    ) throws -> ShipperState {
        let row = CentralRow([
            .integer(1), .text("ci-1"), .text("machine:x"), .integer(7), .integer(6),
            .integer(through), .integers(open), .integer(changes), .integer(0), .integer(0),
            .integer(through), .text("ci-1"), .integer(0),
        ])
        return try #require(ShipperState(row))
    }
}
