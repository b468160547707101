internal import ProxydCaptureModel
internal import ProxydParameterCoding

/// Writes parameters, those of several exchanges with one statement.
///
/// Confined to the recorder's thread; `flush` must be called inside a transaction.
final class ParameterWriter {
    private struct Row {
        let exchange: Int64
        /// The index of the parameter in its query or body, starting at 0.
        let place: Int64
        let parameter: ExtractedParameter
    }

    private let inserts: InsertStatements
    private let arena = BindArena()
    /// The rows that have not been written yet.
    private var rows: [Row] = []

    init(_ connection: StoreConnection) throws(StoreError) {
        inserts = try InsertStatements(
            connection.database, "INSERT INTO parameter", columnCount: 5)
    }

    /// Takes the parameters of an exchange's query or body, to be written by `flush`.
    func add(_ parameters: [ExtractedParameter], of exchange: Int64) {
        for (place, parameter) in parameters.enumerated() {
            rows.append(Row(exchange: exchange, place: Int64(place), parameter: parameter))
        }
    }

    /// Writes the collected rows.
    func flush() throws(StoreError) {
        try InsertStatements.forEachGroup(of: rows.count, insert)
        rows.removeAll(keepingCapacity: true)
    }

    /// Drops the collected rows.
    func discard() { rows.removeAll() }

    private func insert(_ places: Range<Int>) throws(StoreError) {
        defer { arena.reset() }
        let statement = inserts[places.count]
        for (index, row) in rows[places].enumerated() {
            let before = inserts.offset(row: index)
            statement.bind(before + 1, row.exchange)
            arena.bindText(statement, before + 2, row.parameter.source.rawValue)
            statement.bind(before + 3, row.place)
            arena.bindText(statement, before + 4, row.parameter.name)
            arena.bindText(statement, before + 5, row.parameter.value)
        }
        try statement.run()
    }
}
