import ProxydHTTPModel
import Testing

@testable import ProxydCentralStore

/// Connections, once for each day on which exchanges used them.
@Suite struct ConnectionCopierTests {
    private let connection = ScriptedConnection()

    /// Copies the connections of exchanges, in a transaction that is committed.
    private func copy(
        _ exchanges: [DeliveredExchange], with copier: inout ConnectionCopier
    ) throws {
        var batch = ConnectionCopier.Batch(exchanges)
        try copier.copy(&batch, connection)
        copier.remember(batch)
    }

    private func copied() throws -> [CopyRows.Row] {
        try connection.copied(into: "connection").rows
    }

    private static let written = ["DELETE FROM connection", "COPY connection"]

    // MARK: Values

    private static let everything: ConnectionRecord = {
        var security = ConnectionRecord.Security(
            version: "TLSv1.3", cipher: "AES", alpn: "h2", serverName: "a.test",
            peerCertificates: [[1, 2], [3]], isResumed: true)
        security.requestedAuthorities = ["CN=a", "CN=b"]
        security.showsClientCertificate = true
        var record = ConnectionRecord(
            id: ConnectionID(rawValue: 4), side: .client, openedAt: 5, peerAddress: "[::1]:5",
            localAddress: "[::1]:80", security: security,
            process: ConnectionRecord.ClientProcess(pid: 77, name: "curl\0"))
        record.http2 = HTTP2ConnectionFacts(
            ourSettings: [.init(number: 3, value: 100)], peerSettings: [], frames: [9])
        record.arrival = ConnectionRecord.Arrival(
            listener: "main", mode: .transparent, originalAddress: "192.0.2.1:443",
            proxyProtocolPeer: "192.0.2.2:9")
        record.upstream = "corp"
        return record
    }()

    @Test func `a connection is delivered to the central store with everything recorded about it`()
        throws
    {
        connection.answer("WITH added", .rows([.bytes([0xAB])]))
        var copier = ConnectionCopier(shipper: 1)
        try copy([.sample(1, server: Self.everything)], with: &copier)
        let row = try #require(try copied().first)
        let numbers: [String: Int64] = [
            "id": centralNumber(1, 4), "started_at": SampleTime.midnight, "opened_ns": 5,
            "resumed": 1, "pid": 77, "shows_client_certificate": 1,
        ]
        for (column, number) in numbers { #expect(row.integer(column) == number, "\(column)") }
        let texts = [
            "side": "client", "peer_address": "[::1]:5", "local_address": "[::1]:80",
            "tls_version": "TLSv1.3", "tls_cipher": "AES", "alpn": "h2", "sni": "a.test",
            "process": "curl\u{2400}", "listener": "main", "mode": "transparent",
            "original_address": "192.0.2.1:443", "proxy_protocol_peer": "192.0.2.2:9",
            "upstream": "corp", "requested_authorities": "CN=a\nCN=b",
        ]
        for (column, text) in texts { #expect(row.text(column) == text, "\(column)") }
        #expect(row["certificate_chain"] == [0xAB])
        // As in a SETTINGS frame (RFC 9113 §6.5.1).
        #expect(row["our_settings"] == [0, 3, 0, 0, 0, 100])
        #expect(row["peer_settings"] == [] && row["frames"] == [9])
    }

    @Test
    func `connection rows sent by COPY fit the column widths and required columns of their table`()
        throws
    {
        connection.answer("WITH added", .rows([.bytes([0xAB])]))
        var copier = ConnectionCopier(shipper: 1)
        let all = [Self.everything, ConnectionRecord.sample(5)]
        try copy(all.map { DeliveredExchange.sample(1, server: $0) }, with: &copier)
        let definition = try TableDefinition("connection")
        let found = try connection.copied(into: "connection")
        #expect(Set(found.columns) == Set(definition.types.keys))
        for row in found.rows {
            #expect(definition.required.subtracting(row.values.keys) == [])
            for (column, value) in row.values {
                guard let width = definition.width(of: column) else { continue }
                #expect(value.count == width, "\(column)")
            }
        }
    }

    @Test func `the optional columns of a plain connection are delivered to PostgreSQL as NULL`()
        throws
    {
        var copier = ConnectionCopier(shipper: 1)
        try copy([.sample(1, server: .sample(4))], with: &copier)
        let row = try #require(try copied().first)
        let expected: Set = [
            "id", "started_at", "side", "opened_ns", "peer_address", "local_address",
        ]
        #expect(Set(row.values.keys) == expected)
        #expect(connection.outline == Self.written)
    }

    @Test
    func `a delivered connection row shows whether the server requested a client certificate`()
        throws
    {
        var asked = ConnectionRecord.Security(
            version: nil, cipher: nil, alpn: nil, serverName: nil)
        asked.requestedAuthorities = []
        var first = ConnectionRecord.sample(4)
        first.security = asked
        asked.requestedAuthorities = nil
        var second = ConnectionRecord.sample(5)
        second.security = asked
        var copier = ConnectionCopier(shipper: 1)
        try copy([.sample(1, server: first), .sample(2, server: second)], with: &copier)
        let rows = try copied()
        #expect(rows.map { $0.text("requested_authorities") } == ["", nil])
        #expect(rows.map { $0.integer("shows_client_certificate") } == [0, nil])
        #expect(rows.map { $0.integer("resumed") } == [0, 0])
    }

    // MARK: Once

    @Test func `no connection rows are delivered for exchanges without connections`() throws {
        var copier = ConnectionCopier(shipper: 1)
        try copy([.sample(1)], with: &copier)
        #expect(connection.outline == [])
    }

    @Test func `a connection is delivered once, and again after it changed`() throws {
        var copier = ConnectionCopier(shipper: 1)
        try copy([.sample(1, server: .sample(4)), .sample(2, server: .sample(4))], with: &copier)
        #expect(try copied().count == 1)
        try copy([.sample(3, server: .sample(4))], with: &copier)
        #expect(connection.outline == Self.written)
        var changed = ConnectionRecord.sample(4)
        changed.upstream = "corp"
        try copy(
            [.sample(4, server: changed), .sample(5, server: .sample(6))], with: &copier)
        #expect(connection.outline == Self.written + Self.written)
        let ids = [centralNumber(1, 4), centralNumber(1, 6)]
        #expect(try copied().map { $0.integer("id") ?? 0 } == ids)
        // The earlier row makes room.
        let deletions = connection.arguments(of: "DELETE FROM connection")
        #expect(deletions.last == [.integer(9_456), .integers(ids)])
        try copy([.sample(6, server: changed)], with: &copier)
        #expect(connection.requests.count == 4)
    }

    @Test
    func `connections are delivered once for each day of use, ordered by day and then by ID`()
        throws
    {
        var copier = ConnectionCopier(shipper: 2)
        let exchanges: [DeliveredExchange] = [
            .sample(1, daysLater: 1, server: .sample(4)), .sample(2, server: .sample(9)),
            .sample(3, server: .sample(4)),
        ]
        try copy(exchanges, with: &copier)
        let (four, nine) = (centralNumber(2, 4), centralNumber(2, 9))
        let deletions: [[CentralValue]] = [
            [.integer(9_456), .integers([four, nine])], [.integer(9_457), .integers([four])],
        ]
        #expect(connection.arguments(of: "DELETE FROM connection") == deletions)
        let rows = try copied()
        #expect(rows.map { $0.integer("id") } == [four, nine, four])
        let midnights = rows.map { $0.integer("started_at") }
        let first = SampleTime.midnight
        #expect(midnights == [first, first, first + 86_400_000_000])
        // The next exchange of the second day has nothing new.
        try copy([.sample(4, daysLater: 1, server: .sample(4))], with: &copier)
        #expect(connection.requests.count == 3)
    }

    @Test func `a connection whose delivery was rolled back is delivered again`() throws {
        let error = CentralError.connection("gone")
        connection.answer("COPY connection", .failure(error), .rows())
        var copier = ConnectionCopier(shipper: 1)
        #expect(throws: error) {
            var batch = ConnectionCopier.Batch([.sample(1, server: .sample(4))])
            try copier.copy(&batch, connection)
        }
        try copy([.sample(1, server: .sample(4))], with: &copier)
        #expect(connection.outline == Self.written + Self.written)
    }

    // MARK: Chains

    @Test func `each certificate chain is delivered once and referenced by its digest`() throws {
        connection.answer("WITH added", .rows([.bytes([0xAA])]), .rows([.bytes([0xBB])]))
        var copier = ConnectionCopier(shipper: 1)
        let exchanges: [DeliveredExchange] = [
            .sample(1, server: .sample(4, chain: [[2]])),
            .sample(2, server: .sample(5, chain: [[1], [7, 7]])),
            .sample(3, server: .sample(6, chain: [[2]])),
        ]
        try copy(exchanges, with: &copier)
        // In the order of their bytes: each certificate has its length before it.
        let chains: [[CentralValue]] = [
            [.bytes([0, 0, 0, 1, 1, 0, 0, 0, 2, 7, 7])], [.bytes([0, 0, 0, 1, 2])],
        ]
        #expect(connection.arguments(of: "WITH added") == chains)
        let digests = try copied().map { $0["certificate_chain"] }
        #expect(digests == [[0xBB], [0xAA], [0xBB]])
        connection.forget()
        try copy([.sample(4, server: .sample(7, chain: [[2]]))], with: &copier)
        #expect(connection.outline == Self.written)
        #expect(try copied().map { $0["certificate_chain"] } == [[0xBB]])
    }
}
