internal import GRDB
internal import ProxydHTTPModel

/// Connections and annotations out of the tables.
extension StoredExchange {
    /// What is known of a leg; nil where the store does not have it.
    static func connection(_ id: Int64, _ database: Database) throws -> ConnectionRecord? {
        guard
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT side, opened_ns, peer_address, local_address, tls_version, tls_cipher,
                      alpn, sni, resumed, pid, process, octets
                    FROM connection LEFT JOIN certificate_chain chain
                      ON chain.id = certificate_chain_id
                    WHERE connection.id = ?
                    """, arguments: [id])
        else { return nil }
        let columns = ColumnReader(row)
        guard let side = columns.text(0).flatMap(ConnectionRecord.Side.init(rawValue:)) else {
            return nil
        }
        return ConnectionRecord(
            id: ConnectionID(rawValue: id), side: side, openedAt: columns.integer(1) ?? 0,
            peerAddress: columns.text(2) ?? "", localAddress: columns.text(3) ?? "",
            security: security(columns), process: process(columns))
    }

    private static func security(_ columns: ColumnReader) -> ConnectionRecord.Security? {
        guard let version = columns.text(4) else { return nil }
        return ConnectionRecord.Security(
            version: version, cipher: columns.text(5) ?? "", alpn: columns.text(6),
            serverName: columns.text(7),
            peerCertificates: CertificateChainCoding.decode(columns.octets(11) ?? []),
            isResumed: columns.integer(8) == 1)
    }

    private static func process(_ columns: ColumnReader) -> ConnectionRecord.ClientProcess? {
        guard let pid = columns.integer(9).flatMap({ Int32(exactly: $0) }) else { return nil }
        return ConnectionRecord.ClientProcess(pid: pid, name: columns.text(10) ?? "")
    }

    /// What people added.
    static func annotations(
        of id: Int64, _ database: Database
    ) throws -> Exchange.Annotations {
        var annotations = Exchange.Annotations()
        if let row = try Row.fetchOne(
            database, sql: "SELECT note, pinned FROM annotation WHERE exchange_id = ?",
            arguments: [id])
        {
            annotations.note = ColumnReader(row).text(0)
            annotations.isPinned = ColumnReader(row).integer(1) == 1
        }
        annotations.tags = try Row.fetchAll(
            database, sql: "SELECT tag FROM tag WHERE exchange_id = ? ORDER BY position",
            arguments: [id]
        ).compactMap { ColumnReader($0).text(0) }
        return annotations
    }
}
