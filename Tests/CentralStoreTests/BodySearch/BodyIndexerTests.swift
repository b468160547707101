import ProxydCaptureModel
import Testing

@testable import ProxydCentralStore

/// The texts of the bodies of a day.
@Suite struct BodyIndexerTests {
    private let connection = ScriptedConnection()
    private var indexer: BodyIndexer { BodyIndexer(connection, day: "2025-11-21") }

    private static let places = "SELECT no, through_id, open_ids FROM shipper"

    init() {
        connection.answer("to_regclass", .rows([.boolean(true)]))
    }

    /// An exchange with bodies that are not in memory where they are nil.
    private func row(
        _ number: Int64, request: [UInt8]? = nil, response: [UInt8]? = nil,
        kept: (request: Int64, response: Int64)? = nil, responseHead: String? = nil
    ) -> [CentralValue] {
        let held = (request: Int64(request?.count ?? 0), response: Int64(response?.count ?? 0))
        let counts = kept ?? held
        var heads = [CentralValue](repeating: .null, count: StoredHeads.columns.count)
        if let responseHead { heads[1] = .bytes(Array(responseHead.utf8)) }
        let values: [CentralValue] = [
            .integer(centralNumber(1, number)), .timestamp(SampleTime.startedAt),
            .integer(counts.request), .integer(counts.response),
            .integer(counts.request), .integer(counts.response),
            request.map { CentralValue.bytes($0) } ?? .null,
            response.map { CentralValue.bytes($0) } ?? .null,
        ]
        return values + heads
    }

    /// The texts that are copied for a row; those that are left out are nil.
    private func texts(_ row: [CentralValue]) throws -> [[UInt8]?] {
        connection.answer("FETCH 32", .rows(row), .rows())
        let outcome = try indexer.index()
        let found = try connection.copied(into: "body_text").rows.map { $0["text"] }
        #expect(outcome.exchangeCount == 1)
        #expect(outcome.textCount == Int64(found.count { $0 != nil }))
        #expect(outcome.leftOutCount == Int64(found.count { $0 == nil }))
        return found
    }

    // MARK: The transaction

    @Test func `indexing or dropping body texts fails for a day from which nothing was delivered`()
    {
        connection.answer("to_regclass", .rows([.boolean(false)]))
        let error = CentralError.location("nothing was delivered for 2025-11-21")
        #expect(throws: error) { try indexer.index() }
        #expect(throws: error) { try indexer.drop() }
        #expect(connection.outline == ["SELECT to_regclass", "SELECT to_regclass"])
    }

    @Test func `the bodies of a day are indexed page by page in one transaction`() throws {
        connection.answer(
            "FETCH 32", .rows(row(1, request: [0x61]), row(2, request: [0x62])),
            .rows(row(3, response: [0x63])), .rows())
        let outcome = try indexer.index()
        #expect(outcome.exchangeCount == 3 && outcome.textCount == 3)
        let expected = [
            "SELECT to_regclass", "BEGIN", "SELECT pg_advisory_xact_lock", "SELECT no",
            "DELETE FROM body_text", "DECLARE uncovered", "FETCH 32", "COPY body_text",
            "FETCH 32", "COPY body_text", "FETCH 32", "SELECT no", "DELETE FROM body_text",
            "SELECT make_body_key", "COMMIT",
        ]
        #expect(connection.outline == expected)
        let last = try #require(try connection.copied(into: "body_text").rows.first)
        let values: [String: [UInt8]] = [
            "exchange_id": [0, 0, 0, 4, 0, 0, 0, 3],
            "started_at": [0, 0x02, 0xE7, 0x14, 0xF8, 0x09, 0x02, 0x40], "side": [0, 1],
            "text": [0x63],
        ]
        #expect(last.values == values)
    }

    @Test func `indexing a day without new bodies still records the shipper's progress`()
        throws
    {
        connection.answer(
            Self.places, .rows([.integer(1), .integer(9), .integers([3])]),
            .rows([.integer(1), .integer(12), .integers([])]))
        let outcome = try indexer.index()
        #expect(outcome.exchangeCount == 0 && outcome.textCount == 0)
        // How far the shipper had come before anything was read.
        let note: [CentralValue] = [
            .text("2025-11-21"), .integer(1), .integer(centralNumber(1, 9)),
            .integers([centralNumber(1, 3)]),
        ]
        #expect(connection.arguments(of: "INSERT INTO body_index") == [note])
        #expect(connection.outline.last == "COMMIT")
    }

    @Test func `an error while bodies are indexed rolls back the transaction`() {
        let error = CentralError.server(code: "53100", message: "disk full")
        connection.answer("FETCH 32", .rows(row(1, request: [0x61])), .rows())
        connection.answer("COPY body_text", .failure(error))
        #expect(throws: error) { try indexer.index() }
        #expect(connection.outline.suffix(2) == ["COPY body_text", "ROLLBACK"])
    }

    @Test func `the body index of a day is dropped in one transaction`() throws {
        try indexer.drop()
        #expect(
            connection.outline == [
                "SELECT to_regclass", "BEGIN", "SELECT pg_advisory_xact_lock",
                "DELETE FROM body_index", "SELECT drop_body_key", "COMMIT",
            ])
        let day: [CentralValue] = [.text("2025-11-21")]
        #expect(connection.requests.map(\.arguments) == [day, [], day, day, day, []])
    }

    // MARK: Texts

    @Test func `an indexed body text has lower-case ASCII letters and one character for each byte`()
        throws
    {
        let request = Array("Hé[Z".utf8)
        let response = [UInt8](repeating: 0x41, count: 63) + [0]
        let expected: [[UInt8]?] = [
            [0x68, 0xC3, 0x83, 0xC2, 0xA9, 0x5B, 0x7A],
            [UInt8](repeating: 0x61, count: 63) + [0xC4, 0x80],
        ]
        #expect(try texts(row(1, request: request, response: response)) == expected)
        let rows = try connection.copied(into: "body_text").rows
        #expect(rows.map { $0.integer("side") } == [0, 1])
    }

    @Test func `the body index stores no text for binary bodies`() throws {
        let binary = [UInt8](repeating: 0x41, count: 62) + [0, 1]
        #expect(try texts(row(1, request: binary, response: [0])) == [nil, nil])
    }

    @Test func `a body of 1 MiB is indexed, and a longer one is not even read`() throws {
        connection.answer("FROM body_piece", .rows([.bytes([0x42])]))
        let long = row(1, kept: (1_048_577, 1_048_576))
        #expect(try texts(long) == [nil, [0x62]])
        #expect(connection.arguments(of: "SELECT octets").count == 1)
    }

    @Test func `a body stored in pieces is joined before it is indexed`() throws {
        connection.answer(
            "FROM body_piece", .rows([.bytes([0x41, 0x42])], [.bytes([0x43])]))
        #expect(try texts(row(1, kept: (0, 3))) == [[0x61, 0x62, 0x63]])
        let asked: [CentralValue] = [
            .timestamp(SampleTime.startedAt), .integer(centralNumber(1, 1)), .integer(1),
        ]
        #expect(connection.arguments(of: "SELECT octets") == [asked])
    }

    /// `HELLO`, as gzip of zlib writes it.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xF3, 0x70, 0xF5, 0xF1, 0xF1,
        0x07, 0x00, 0x36, 0x64, 0x44, 0xC1, 0x05, 0x00, 0x00, 0x00,
    ]

    @Test func `a gzip body is decoded before it is indexed`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
        let coded = row(1, response: Self.gzip, responseHead: head)
        #expect(try texts(coded) == [Array("hello".utf8)])
    }
}
