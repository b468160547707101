internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Reads connections and annotations from their tables.
extension StoredExchange {
    /// The facts about a connection, or nil if the store does not have it.
    static func connection(_ id: Int64, _ database: SQLiteConnection) throws(StoreError)
        -> ConnectionRecord?
    {
        try database.first(
            """
            SELECT side, opened_ns, peer_address, local_address, tls_version, tls_cipher,
              alpn, sni, resumed, pid, process, octets, our_settings, peer_settings, frames,
              listener, mode, original_address, proxy_protocol_peer, upstream,
              requested_authorities, shows_client_certificate
            FROM connection LEFT JOIN certificate_chain chain
              ON chain.id = certificate_chain_id
            WHERE connection.id = ?
            """, [.integer(id)]
        ) { connection(id, $0) } ?? nil
    }

    private static func connection(_ id: Int64, _ row: SQLiteRow) -> ConnectionRecord? {
        row.text(0).flatMap(ConnectionRecord.Side.init(rawValue:)).map { side in
            var record = ConnectionRecord(
                id: ConnectionID(rawValue: id), side: side, openedAt: row.integer(1) ?? 0,
                peerAddress: row.text(2) ?? "", localAddress: row.text(3) ?? "",
                security: security(row), process: process(row))
            record.http2 = http2(row)
            record.arrival = arrival(row)
            record.upstream = row.text(19)
            return record
        }
    }

    private static func arrival(_ row: SQLiteRow) -> ConnectionRecord.Arrival? {
        guard let listener = row.text(15),
            let mode = row.text(16).flatMap(ConnectionRecord.Arrival.Mode.init(rawValue:))
        else { return nil }
        return ConnectionRecord.Arrival(
            listener: listener, mode: mode, originalAddress: row.text(17),
            proxyProtocolPeer: row.text(18))
    }

    private static func http2(_ row: SQLiteRow) -> HTTP2ConnectionFacts? {
        row.octets(12).map { ours in
            HTTP2ConnectionFacts(
                ourSettings: SettingsCoding.decode(ours),
                peerSettings: SettingsCoding.decode(row.octets(13) ?? []),
                frames: row.octets(14) ?? [])
        }
    }

    private static func security(_ row: SQLiteRow) -> ConnectionRecord.Security? {
        guard let version = row.text(4) else { return nil }
        var security = ConnectionRecord.Security(
            version: version, cipher: row.text(5) ?? "", alpn: row.text(6),
            serverName: row.text(7),
            peerCertificates: CertificateChainCoding.decode(row.octets(11) ?? []),
            isResumed: row.integer(8) == 1)
        security.requestedAuthorities = row.text(20)?.split(separator: "\n").map(String.init)
        security.showsClientCertificate = row.integer(21) == 1
        return security
    }

    private static func process(_ row: SQLiteRow) -> ConnectionRecord.ClientProcess? {
        guard let pid = row.integer(9).flatMap({ Int32(exactly: $0) }) else { return nil }
        return ConnectionRecord.ClientProcess(pid: pid, name: row.text(10) ?? "")
    }

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
