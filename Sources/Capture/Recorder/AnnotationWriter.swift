internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// Writes notes, tags and pins.
enum AnnotationWriter {
    /// Changes the annotations of an existing exchange.
    static func apply(_ change: AnnotationChange, _ writer: StoreWriter) throws(StoreError) {
        let id = change.id.rawValue
        guard try writer.connection.integer("SELECT count(*) FROM exchange WHERE id = \(id)") > 0
        else { throw .notFound(id) }
        try writer.transaction { () throws(StoreError) in
            try run(
                writer,
                """
                INSERT INTO annotation VALUES (?1, nullif(?2, ''), coalesce(?3, 0))
                ON CONFLICT (exchange_id) DO UPDATE SET
                  note = iif(?2 IS NULL, note, nullif(?2, '')), pinned = coalesce(?3, pinned)
                """
            ) {
                $0.bind(1, id)
                $0.bindCopy(2, change.note)
                $0.bind(3, change.isPinned.map { $0 ? 1 : 0 })
            }
            for tag in change.removedTags.map(OneLine.text) {
                try run(writer, "DELETE FROM tag WHERE exchange_id = ?1 AND tag = ?2") {
                    $0.bind(1, id)
                    $0.bindCopy(2, tag)
                }
            }
            for tag in change.addedTags.map(OneLine.text) where !tag.isEmpty {
                try add(tag, id, writer)
            }
            try writer.delivery.note(.annotated, [id...id], writer.connection)
        }
    }

    /// Writes the annotations of an imported exchange.
    static func store(
        _ annotations: Exchange.Annotations, _ id: ExchangeID, _ writer: StoreWriter
    ) throws(StoreError) {
        guard annotations != Exchange.Annotations() else { return }
        try apply(
            AnnotationChange(
                id: id, note: annotations.note, addedTags: annotations.tags,
                isPinned: annotations.isPinned),
            writer)
    }

    /// Adds a tag (the second parameter) to an exchange (the first) unless it has it already.
    static let insertTagSQL = """
        INSERT INTO tag SELECT ?1, coalesce(max(position) + 1, 0), ?2
        FROM tag WHERE exchange_id = ?1
        HAVING NOT EXISTS (SELECT 1 FROM tag WHERE exchange_id = ?1 AND tag = ?2)
        """

    private static func add(
        _ tag: String, _ id: Int64, _ writer: StoreWriter
    ) throws(StoreError) {
        try run(writer, insertTagSQL) {
            $0.bind(1, id)
            $0.bindCopy(2, tag)
        }
    }

    private static func run(
        _ writer: StoreWriter, _ sql: String, _ bind: (SQLiteStatement) -> Void
    ) throws(StoreError) {
        let statement = try SQLiteStatement(writer.connection.database, sql)
        bind(statement)
        try statement.run()
    }
}
