import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import Testing

@testable import ProxydCentralStore

/// Exchanges as the bytes of COPY, read back by their columns.
@Suite struct ExchangeCopierTests {
    private let connection = ScriptedConnection()

    private func copy(
        _ exchanges: [DeliveredExchange], _ generations: [(Int64, Int64)] = [(1, 0)],
        additions: CentralAdditions = .all
    ) throws {
        let lineage = ShipperLineage(
            generations.map { ShipperLineage.Generation(shipper: $0.0, after: $0.1) })
        try ExchangeCopier(connection, lineage, additions).copy(exchanges)
    }

    /// The only row that was copied into a table.
    private func row(_ table: String) throws -> CopyRows.Row {
        let rows = try connection.copied(into: table).rows
        try #require(rows.count == 1)
        return try #require(rows.first)
    }

    /// An exchange that has everything.
    private func full() -> DeliveredExchange {
        var exchange = DeliveredExchange.sample(5, server: .sample(9, chain: [[1]]))
        for column in StoredRecord.Column.allCases {
            if let value = Self.integers[column] { exchange.record[column] = .integer(value) }
            if let value = Self.texts[column] { exchange.record[column] = .text(value) }
        }
        exchange.record[.timeline] = .blob([1, 2, 3])
        exchange.record.heads = StoredHeads.columns.indices.map { .blob([UInt8($0)]) }
        exchange.record.requestBody = [0x61]
        exchange.record.parameters = [
            StoredParameter(
                position: 3,
                parameter: ExtractedParameter(source: .form, name: "a\0", value: "b"))
        ]
        exchange.record.appliedRules = [
            AppliedRule(rule: "r", phase: .response, outcome: "changed", detail: "d"),
            AppliedRule(
                rule: "s", phase: .request, outcome: "held",
                hold: AppliedRule.Hold(startNs: 21, durationNs: 22)),
            AppliedRule(rule: "r", phase: .request, outcome: "delayed"),
        ]
        exchange.record.annotations = Exchange.Annotations(
            note: "n", tags: ["t", "u"], isPinned: true)
        exchange.messages = { page in try page([Self.message]) }
        exchange.longBody = { part, piece in if part == .response { try piece([7]) } }
        return exchange
    }

    private static let message = MessageRow(
        position: 2, direction: .toClient, kind: .close, flags: [.compressed, .cut],
        atNs: SampleTime.startedNs + 70, byteCount: 8, wireByteCount: 9, problem: "p",
        bytes: [3, 0])

    private static let integers: [StoredRecord.Column: Int64] = [
        .state: 2, .port: 443, .requestBytes: 10, .responseBytes: 20, .clientConnection: 8,
        .serverConnection: 9, .replayOf: 4, .flags: 6, .clientStream: 5, .serverStream: 7,
        .reset: 11, .headFormat: 1, .httpVersion: 20, .status: 502, .requestKeptBytes: 12,
        .responseKeptBytes: 13, .durationNs: 14, .messageCount: 15, .grpcStatus: 16,
        .receivedStatus: 200, .receivedBodyBytes: 17, .heldNs: 22,
    ]
    private static let texts: [StoredRecord.Column: String] = [
        .scheme: "https", .host: "a.test", .path: "/a\0b", .query: "", .errorOrigin: "server",
        .errorKind: "reset", .error: "gone", .upgradedTo: "websocket", .user: "ann",
        .method: "GET", .reason: "é", .requestType: "a/b", .responseType: "c/d",
        .graphQLOperation: "Op", .graphQLType: "query",
    ]

    // MARK: Columns

    @Test func `delivering no exchanges sends no statements`() throws {
        try copy([])
        #expect(connection.outline == [])
    }

    private static let copiedNumbers: [String: Int64] = [
        "id": centralNumber(1, 5), "shipper_no": 1, "started_ns": SampleTime.startedNs,
        "started_at": SampleTime.startedAt, "state": 2, "port": 443, "request_body_bytes": 10,
        "response_body_bytes": 20, "request_kept_bytes": 12, "response_kept_bytes": 13,
        "client_connection_id": centralNumber(1, 8),
        "server_connection_id": centralNumber(1, 9), "replay_of": centralNumber(1, 4),
        "flags": 6, "client_stream": 5, "server_stream": 7, "reset": 11, "head_format": 1,
        "http_version": 20, "status": 502, "duration_ns": 14, "message_count": 15,
        "grpc_status": 16, "pinned": 1, "received_status": 200, "received_body_bytes": 17,
        "held_ns": 22,
    ]
    private static let copiedTexts: [String: String] = [
        "scheme": "https", "host": "a.test", "path": "/a\u{2400}b", "query": "",
        "error_origin": "server", "error_kind": "reset", "error": "gone",
        "upgraded_to": "websocket", "user_name": "ann", "method": "GET", "reason": "é",
        "request_type": "a/b", "response_type": "c/d", "graphql_operation": "Op",
        "graphql_type": "query", "note": "n", "server_address": "10.0.0.1:443",
        "tls_version": "TLSv1.3",
    ]

    @Test func `an exchange is delivered to the central store with the values of its local record`()
        throws
    {
        try copy([full()])
        let row = try row("exchange")
        for (column, number) in Self.copiedNumbers {
            #expect(row.integer(column) == number, "\(column)")
        }
        for (column, text) in Self.copiedTexts {
            #expect(row.text(column) == text, "\(column)")
        }
        #expect(row["timeline"] == [1, 2, 3])
        // Each rule once. The elements of an array follow a head of 20 bytes.
        let rules = row["rules"].map { Array($0.dropFirst(20)) }
        #expect(rules == [0, 0, 0, 1, 0x72, 0, 0, 0, 1, 0x73])
        let tags = row["tags"].map { Array($0.dropFirst(20)) }
        #expect(tags == [0, 0, 0, 1, 0x74, 0, 0, 0, 1, 0x75])
    }

    @Test
    func `an applied rule is delivered with the time when its message was held and for how long`()
        throws
    {
        try copy([full()])
        let rows = try connection.copied(into: "applied_rule").rows
        #expect(rows.map { $0.integer("hold_start_ns") } == [nil, 21, nil])
        #expect(rows.map { $0.integer("hold_ns") } == [nil, 22, nil])
    }

    @Test func `delivery to a central store that was not upgraded writes only the columns it has`()
        throws
    {
        try copy([full()], additions: .none)
        let columns = try connection.copied(into: "exchange").columns
        #expect(!columns.contains { $0.hasPrefix("received_") || $0 == "held_ns" })
        #expect(columns.contains("status") && columns.contains("user_name"))
        #expect(try row("exchange").integer("status") == 502)
        let rules = try connection.copied(into: "applied_rule")
        #expect(rules.columns.last == "detail" && rules.rows.count == 3)
    }

    @Test(
        arguments: [
            "exchange", "content", "parameter", "applied_rule", "body_piece", "message",
        ])
    func `exchange rows sent by COPY fit the column widths and required columns of their tables`(
        table: String
    ) throws {
        // One exchange with all there can be, and one with as little.
        try copy([full(), DeliveredExchange(.sample(6))])
        let definition = try TableDefinition(table)
        let copied = try connection.copied(into: table)
        #expect(Set(copied.columns).count == copied.columns.count)
        #expect(definition.required.subtracting(copied.columns) == [])
        #expect(!copied.rows.isEmpty)
        for column in copied.columns {
            #expect(definition.types[column] != nil, "\(column)")
            for value in copied.rows.map({ $0[column] }) {
                let isMissing = value == nil && definition.required.contains(column)
                #expect(!isMissing, "\(column)")
                guard let value, let width = definition.width(of: column) else { continue }
                #expect(value.count == width, "\(column)")
            }
        }
    }

    @Test func `an exchange's row in the central store repeats details of its connections`() throws
    {
        var client = ConnectionRecord(
            id: ConnectionID(rawValue: 8), side: .client, openedAt: 4,
            peerAddress: "127.0.0.1:50", localAddress: "127.0.0.1:80",
            security: ConnectionRecord.Security(
                version: "TLSv1.2", cipher: "c", alpn: nil, serverName: nil),
            process: ConnectionRecord.ClientProcess(pid: 77, name: "curl"))
        client.arrival = ConnectionRecord.Arrival(
            listener: "main", mode: .proxy, proxyProtocolPeer: "192.0.2.1:9")
        var server = ConnectionRecord.sample(9)
        server.upstream = "corp"
        var exchange = DeliveredExchange.sample(5, server: server)
        exchange.client = client
        try copy([exchange])
        let row = try row("exchange")
        let texts = [
            "client_address": "127.0.0.1:50", "named_client_address": "192.0.2.1:9",
            "process": "curl", "listener": "main", "upstream": "corp",
            // The server's connection has no TLS.
            "server_address": "10.0.0.1:443", "tls_version": "TLSv1.2",
        ]
        for (column, text) in texts { #expect(row.text(column) == text, "\(column)") }
        #expect(row.integer("pid") == 77)
    }

    @Test
    func `an exchange recorded before its store was restored keeps its earlier shipper number`()
        throws
    {
        var old = DeliveredExchange.sample(20)
        old.record[.replayOf] = .integer(3)
        old.record[.clientConnection] = .integer(8)
        var new = DeliveredExchange.sample(21)
        new.record[.replayOf] = .integer(20)
        try copy([old, new], [(3, 20), (1, 0)])
        let rows = try connection.copied(into: "exchange").rows
        let ids = rows.map { $0.integer("id") }
        #expect(ids == [centralNumber(1, 20), centralNumber(3, 21)])
        #expect(rows.map { $0.integer("shipper_no") } == [1, 3])
        let replayed = rows.map { $0.integer("replay_of") }
        #expect(replayed == [centralNumber(1, 3), centralNumber(1, 20)])
        // Connections are those of the shipper that delivers.
        #expect(rows.first?.integer("client_connection_id") == centralNumber(3, 8))
        let parts = try connection.copied(into: "content").rows
        #expect(parts.map { $0.integer("exchange_id") } == ids)
    }
}
