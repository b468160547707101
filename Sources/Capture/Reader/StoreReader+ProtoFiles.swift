public import ProxydCaptureModel

/// Files that describe messages of protocol buffers.
extension StoreReader {
    /// The files, those that were given first, of each kind the newest first.
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

    /// Which files those are, without reading them.
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

    /// A row; nil where damage made it none.
    private static func protoFile(_ row: SQLiteRow) -> ProtoFile? {
        guard let name = row.text(0), let octets = row.octets(3),
            let source = row.text(1).flatMap(ProtoFile.Source.init(rawValue:))
        else { return nil }
        return ProtoFile(
            name: name, source: source, addedNs: row.integer(2) ?? 0, octets: octets)
    }
}
