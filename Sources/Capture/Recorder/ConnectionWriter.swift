internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydStoreCoding

/// Writes connections. Certificate chains are stored once and shared, because a server sends the
/// same chain repeatedly.
final class ConnectionWriter {
    /// How many chains are remembered.
    private static let chainCountMax = 1000

    private let insertConnection: SQLiteStatement
    private let insertChain: SQLiteStatement
    private var nextChainID: Int64
    private var chains: [[[UInt8]]: Int64] = [:]

    init(_ connection: StoreConnection) throws(StoreError) {
        insertConnection = try SQLiteStatement(
            connection.database,
            """
            INSERT OR REPLACE INTO connection
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
              ?18, ?19, ?20, ?21, ?22, ?23)
            """)
        insertChain = try SQLiteStatement(
            connection.database, "INSERT INTO certificate_chain VALUES (?1, ?2)")
        nextChainID = try connection.lastID(of: "certificate_chain") + 1
    }

    /// Writes the facts about a connection, replacing earlier ones.
    func write(_ record: ConnectionRecord) throws(StoreError) {
        let statement = insertConnection
        let security = record.security
        statement.bind(1, record.id.rawValue)
        statement.bindCopy(2, record.side.rawValue)
        statement.bind(3, record.openedAt)
        statement.bindCopy(4, record.peerAddress)
        statement.bindCopy(5, record.localAddress)
        statement.bindCopy(6, security?.version)
        statement.bindCopy(7, security?.cipher)
        statement.bindCopy(8, security?.alpn)
        statement.bindCopy(9, security?.serverName)
        statement.bind(10, try chainID(security?.peerCertificates ?? []))
        statement.bind(11, security.map { $0.isResumed ? 1 : 0 })
        statement.bind(12, record.process.map { Int64($0.pid) })
        statement.bindCopy(13, record.process?.name)
        bind(14, record.http2.map { SettingsCoding.encode($0.ourSettings) })
        bind(15, record.http2.map { SettingsCoding.encode($0.peerSettings) })
        bind(16, record.http2?.frames)
        statement.bindCopy(17, record.arrival?.listener)
        statement.bindCopy(18, record.arrival?.mode.rawValue)
        statement.bindCopy(19, record.arrival?.originalAddress)
        statement.bindCopy(20, record.arrival?.proxyProtocolPeer)
        statement.bindCopy(21, record.upstream)
        let authorities = security?.requestedAuthorities
        statement.bindCopy(22, authorities?.joined(separator: "\n"))
        statement.bind(
            23, authorities.flatMap { _ in security?.showsClientCertificate == true ? 1 : 0 })
        try statement.run()
    }

    private func bind(_ index: Int32, _ bytes: [UInt8]?) {
        guard let bytes else { return insertConnection.bindNull(index) }
        bytes.span.withUnsafeBytes { insertConnection.bindCopy(index, $0, isText: false) }
    }

    /// Forgets the remembered chains after a failed transaction: all of them, as they are few.
    func rollBack() { chains.removeAll() }

    private func chainID(_ certificates: [[UInt8]]) throws(StoreError) -> Int64? {
        guard !certificates.isEmpty else { return nil }
        if let known = chains[certificates] { return known }
        let id = nextChainID
        nextChainID += 1
        insertChain.bind(1, id)
        let bytes = CertificateChainCoding.encode(certificates)
        bytes.span.withUnsafeBytes { insertChain.bindCopy(2, $0, isText: false) }
        try insertChain.run()
        if chains.count >= ConnectionWriter.chainCountMax { chains.removeAll() }
        chains[certificates] = id
        return id
    }
}
