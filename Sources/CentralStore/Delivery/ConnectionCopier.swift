internal import ProxydHTTPModel
internal import ProxydCaptureModel

/// Writes the facts about connections, once for each day on which exchanges used them.
struct ConnectionCopier {
    struct Key: Hashable {
        let day: Int64
        let id: Int64
    }

    struct Batch {
        fileprivate var records: [Key: ConnectionRecord] = [:]
        /// The digests of their certificate chains, known after `copy`.
        fileprivate var digests: [[[UInt8]]: [UInt8]] = [:]

        init(_ exchanges: [DeliveredExchange]) {
            for exchange in exchanges {
                for record in [exchange.client, exchange.server].compactMap({ $0 }) {
                    records[Key(day: exchange.day, id: record.id.rawValue)] = record
                }
            }
        }
    }

    private static let rememberedMax = 20_000
    private static let chainCountMax = 1_000

    private let shipper: Int64
    /// What was written of connections that may be used again.
    private var written: [Key: Int] = [:]
    private var knownChains: [[[UInt8]]: [UInt8]] = [:]

    init(shipper: Int64) { self.shipper = shipper }

    /// Remembers what was written, after its transaction was committed.
    mutating func remember(_ batch: Batch) {
        if written.count > ConnectionCopier.rememberedMax { written.removeAll() }
        for (key, record) in batch.records { written[key] = record.hashValue }
        if knownChains.count > ConnectionCopier.chainCountMax { knownChains.removeAll() }
        knownChains.merge(batch.digests) { $1 }
    }

    func copy(_ batch: inout Batch, _ connection: any CentralConnection) throws(CentralError) {
        let changed = batch.records.filter { written[$0.key] != $0.value.hashValue }
        guard !changed.isEmpty else { return }
        batch.digests = try copyChains(changed.values, connection)
        let digests = batch.digests
        let keys = changed.keys.sorted { ($0.day, $0.id) < ($1.day, $1.id) }
        for day in Set(keys.map(\.day)).sorted() {
            try connection.run(
                """
                DELETE FROM connection WHERE started_at = date '2000-01-01' + $1::bigint::integer
                  AND id = ANY ($2)
                """,
                [.integer(day), .integers(keys.filter { $0.day == day }.map { centralID($0.id) })])
        }
        try connection.copy(
            "COPY connection (\(ConnectionCopier.columns.joined(separator: ", "))) "
                + "FROM STDIN (FORMAT binary)"
        ) { buffer throws(CentralError) in
            for key in keys {
                guard let record = changed[key] else { continue }
                try buffer.startRow(ConnectionCopier.columns.count)
                buffer.bigint(centralID(key.id))
                buffer.bigint(CentralTime.microseconds(day: key.day))
                put(record, digests, &buffer)
            }
        }
    }

    private func centralID(_ id: Int64) -> Int64 { CentralID.id(shipper: shipper, number: id) }

    private static let columns = [
        "id", "started_at", "side", "opened_ns", "peer_address", "local_address", "tls_version",
        "tls_cipher", "alpn", "sni", "resumed", "pid", "process", "certificate_chain",
        "our_settings", "peer_settings", "frames", "listener", "mode", "original_address",
        "proxy_protocol_peer", "upstream", "requested_authorities", "shows_client_certificate",
    ]

    private func put(
        _ record: ConnectionRecord, _ digests: [[[UInt8]]: [UInt8]], _ buffer: inout CopyBuffer
    ) {
        let security = record.security
        buffer.text(record.side.rawValue)
        buffer.bigint(record.openedAt)
        buffer.text(record.peerAddress)
        buffer.text(record.localAddress)
        buffer.text(security?.version)
        buffer.text(security?.cipher)
        buffer.text(security?.alpn)
        buffer.text(security?.serverName)
        buffer.boolean(security?.isResumed)
        buffer.integer(record.process.map { Int64($0.pid) })
        buffer.text(record.process?.name)
        buffer.bytea(security.flatMap { digests[$0.peerCertificates] })
        buffer.bytea(record.http2.map { SettingsCoding.encode($0.ourSettings) })
        buffer.bytea(record.http2.map { SettingsCoding.encode($0.peerSettings) })
        buffer.bytea(record.http2?.frames)
        buffer.text(record.arrival?.listener)
        buffer.text(record.arrival?.mode.rawValue)
        buffer.text(record.arrival?.originalAddress)
        buffer.text(record.arrival?.proxyProtocolPeer)
        buffer.text(record.upstream)
        let authorities = security?.requestedAuthorities
        buffer.text(authorities?.joined(separator: "\n"))
        buffer.boolean(authorities.flatMap { _ in security?.showsClientCertificate })
    }

    /// Writes the chains that are not known to be there; returns the digests of all. Chains are
    /// named by a digest of their contents, so that all shippers share them.
    private func copyChains(
        _ records: some Collection<ConnectionRecord>, _ connection: any CentralConnection
    ) throws(CentralError) -> [[[UInt8]]: [UInt8]] {
        let chains = Set(
            records.compactMap { $0.security?.peerCertificates }.filter { !$0.isEmpty })
        var digests = knownChains.filter { chains.contains($0.key) }
        let missing = chains.filter { digests[$0] == nil }
            .map { (certificates: $0, bytes: CertificateChainCoding.encode($0)) }
        // Always in the same order, so that two shippers do not wait for each other.
        for chain in missing.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            digests[chain.certificates] = try connection.first(
                """
                WITH added AS (
                  INSERT INTO certificate_chain VALUES (sha256($1), $1) ON CONFLICT DO NOTHING
                ) SELECT sha256($1)
                """, [.bytes(chain.bytes)]
            ) { $0.bytes(0) }
        }
        return digests
    }
}
