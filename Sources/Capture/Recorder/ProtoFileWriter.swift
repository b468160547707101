internal import ProxydCaptureModel
internal import ProxydSystem

/// Writes files that describe protocol buffer messages.
enum ProtoFileWriter {
    /// How many files from server reflection the store keeps; the oldest are removed.
    static let seenCountMax = 4_096
    /// The maximum total size of those files in bytes.
    static let seenByteCountMax: Int64 = 64 << 20

    /// Stores files, replacing those of the same names; either all or none.
    static func add(_ files: [ProtoFile], _ writer: StoreWriter) throws(StoreError) {
        guard !files.isEmpty else { return }
        try writer.transaction { () throws(StoreError) in
            let statement = try SQLiteStatement(writer.connection.database, insertSQL)
            for file in files {
                statement.bind([
                    .text(file.name), .text(file.source.rawValue), .integer(SystemClock.wallNow()),
                    .blob(file.bytes),
                ])
                try statement.run()
            }
            if files.contains(where: { $0.source == .reflection }) { try removeOldest(writer) }
        }
    }

    /// Removes the file with a name; returns whether it existed.
    static func remove(named name: String, _ writer: StoreWriter) throws(StoreError) -> Bool {
        var isThere = false
        try writer.transaction { () throws(StoreError) in
            let statement = try SQLiteStatement(
                writer.connection.database, "DELETE FROM proto_file WHERE name = ?1")
            statement.bind([.text(name)])
            try statement.run()
            isThere = writer.connection.lastChangeCount > 0
        }
        return isThere
    }

    /// A file from server reflection never replaces one that a user added, and an identical file is
    /// not written again.
    private static let insertSQL = """
        INSERT INTO proto_file (name, source, added_ns, octets) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (name) DO UPDATE SET
          source = excluded.source, added_ns = excluded.added_ns, octets = excluded.octets
        WHERE excluded.source = 'given'
          OR (proto_file.source = 'reflection' AND proto_file.octets <> excluded.octets)
        """

    private static func removeOldest(_ writer: StoreWriter) throws(StoreError) {
        try writer.connection.execute(
            """
            DELETE FROM proto_file WHERE id IN (
              SELECT id FROM (
                SELECT id, row_number() OVER newest AS place,
                  sum(length(octets)) OVER newest AS bytes
                FROM proto_file WHERE source = 'reflection'
                WINDOW newest AS (ORDER BY added_ns DESC, id DESC ROWS UNBOUNDED PRECEDING))
              WHERE place > \(seenCountMax) OR bytes > \(seenByteCountMax))
            """)
    }
}
