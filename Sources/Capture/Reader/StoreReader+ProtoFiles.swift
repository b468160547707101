public import ProxydCaptureModel

/// Files that describe protocol buffer messages.
extension StoreReader {
    /// Returns the files: first those that users added, then the others, each newest first.
    public func protoFiles() throws(StoreError) -> [ProtoFile] {
        let files = try read {
            try $0.rows(
                """
                SELECT name, source, added_ns, octets FROM proto_file
                ORDER BY source <> 'given', added_ns DESC, id DESC
                """, [], StoreReader.protoFile)
        }
        return files.compactMap { $0 }
    }

    /// Returns the version of the set of files, without reading their contents.
    public func protoFileVersion() throws(StoreError) -> ProtoFileVersion {
        let version = try read {
            try $0.first(
                "SELECT count(*), max(id), max(added_ns) FROM proto_file", [],
                { row in
                    ProtoFileVersion(
                        count: row.integer(0) ?? 0, lastID: row.integer(1) ?? 0,
                        lastAddedNs: row.integer(2) ?? 0)
                })
        }
        return version ?? ProtoFileVersion()
    }

    /// Decodes a row, or returns nil if it is damaged.
    private static func protoFile(_ row: SQLiteRow) -> ProtoFile? {
        guard let name = row.text(0), let bytes = row.bytes(3),
            let source = row.text(1).flatMap(ProtoFile.Source.init(rawValue:))
        else { return nil }
        return ProtoFile(
            name: name, source: source, addedNs: row.integer(2) ?? 0, bytes: bytes)
    }
}
