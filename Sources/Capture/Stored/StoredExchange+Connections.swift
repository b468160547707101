internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// Reads connections and annotations from their tables.
extension StoredExchange {
    /// The facts about a connection, or nil if the store does not have it.
    static func connection(
        _ id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> ConnectionRecord? {
        try database.first(connectionSQL, [.integer(id)]) { ConnectionRecord(id, $0) } ?? nil
    }

    private static let connectionSQL = """
        SELECT \(ConnectionRecord.storedColumns.joined(separator: ", "))
        FROM connection LEFT JOIN certificate_chain chain ON chain.id = certificate_chain_id
        WHERE connection.id = ?
        """

    /// The annotations that users added.
    static func annotations(
        of id: Int64, _ database: SQLiteConnection
    ) throws(StoreError) -> Exchange.Annotations {
        var annotations = Exchange.Annotations()
        let values: [SQLValue] = [.integer(id)]
        let found = try database.first(
            "SELECT note, pinned FROM annotation WHERE exchange_id = ?", values
        ) { (note: $0.text(0), isPinned: $0.integer(1) == 1) }
        if let found {
            annotations.note = found.note
            annotations.isPinned = found.isPinned
        }
        annotations.tags = try database.texts(
            "SELECT tag FROM tag WHERE exchange_id = ? ORDER BY position", values)
        return annotations
    }
}
