import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import ProxydCentralStore

/// Pages of messages, and their contents.
@Suite struct CentralReaderMessagesTests {
    private let connection = ScriptedConnection()
    private let reader: CentralReader
    private let id = ExchangeID(rawValue: centralNumber(1, 5))

    init() { reader = CentralReader(ScriptedServer(connection).link) }

    private func read(
        _ page: MessagePage = .oldest, limit: Int = 7, byteCountMax: Int = 100
    ) throws -> [MessageRow] {
        try reader.messages(of: id, page, limit: limit, byteCountMax: byteCountMax)
    }

    /// A message, which is part of the body if it starts there.
    private func message(
        _ position: Int64, direction: UInt8 = 1, kind: UInt8 = 17, byteCount: Int64 = 3,
        bodyStart: Int64? = nil, bytes: [UInt8]? = nil
    ) -> [CentralValue] {
        [
            .integer(position), .encoded(type: 21, [0, direction]),
            .encoded(type: 21, [0, kind]), .integer(2), .integer(50), .integer(byteCount),
            .integer(9), CentralValue(bodyStart), bytes.map { CentralValue.bytes($0) } ?? .null,
            .text("p"), .integer(1_000),
        ]
    }

    @Test(
        arguments: [
            (.newest, 0, .max, "DESC"), (.oldest, 0, .max, "ASC"), (.before(5), 0, 4, "DESC"),
            (.after(-1), 0, .max, "ASC"), (.after(4), 5, .max, "ASC"), (.at(3), 3, 3, "ASC"),
            // There is nothing before the first and after the last.
            (.before(0), 0, -1, "DESC"), (.before(.min), 0, -1, "DESC"),
            (.after(.max), .max, .max, "ASC"),
        ] as [(MessagePage, Int64, Int64, String)])
    func `the query for a page of messages has the page's position limits and sort order`(
        page: MessagePage, first: Int64, last: Int64, order: String
    ) throws {
        #expect(try read(page) == [])
        let request = try #require(connection.requests.first)
        #expect(request.sql.hasSuffix("ORDER BY position \(order) LIMIT 7"))
        let arguments: [CentralValue] = [
            .integer(id.rawValue), .timestamp(ScriptedConnection.start), .integer(first),
            .integer(last), .integer(100),
        ]
        #expect(request.arguments == arguments)
    }

    @Test(arguments: [(-1, 0), (0, 0), (.max, 2_147_483_647)] as [(Int, Int64)])
    func `the length limit for messages is clamped to a range that PostgreSQL accepts`(
        max: Int, asked: Int64
    ) throws {
        _ = try read(byteCountMax: max)
        #expect(connection.requests.first?.arguments.last == .integer(asked))
    }

    @Test func `reading zero messages sends no query`() throws {
        #expect(try read(limit: 0) == [])
        #expect(connection.outline == [])
    }

    @Test
    func `a message is read from the central store with all its fields and its absolute time`()
        throws
    {
        connection.answer(
            "JOIN message", .rows(message(4, direction: 0, kind: 1, bytes: [0x61, 0x62])))
        let expected = MessageRow(
            position: 4, direction: .toServer, kind: .text, flags: [.fragmented], atNs: 1_050,
            byteCount: 3, wireByteCount: 9, problem: "p", bytes: [0x61, 0x62])
        #expect(try read() == [expected])
    }

    // MARK: Parts of a body

    private func know(_ body: String) {
        let head = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        connection.answer("SELECT request_head", .rows([.null, .bytes(head)]))
        connection.answer("SELECT response_body", .rows([.bytes(Array(body.utf8))]))
    }

    @Test(
        arguments: [
            (0, 3, 100, "hel", false), (2, 3, 100, "llo", false), (2, 3, 2, "ll", false),
            (3, 3, 100, "lo", true), (5, 3, 100, "", true), (.max, 3, 100, "", true),
            (-1, 3, 100, "", true), (0, 0, 100, "", false), (0, .max, 100, "hello", true),
            (0, -1, 100, "", false), (0, 3, -1, "", false),
        ] as [(Int64, Int64, Int, String, Bool)])
    func `a message inside a body is read from its byte range and marked if incomplete`(
        start: Int64, byteCount: Int64, max: Int, text: String, isCut: Bool
    ) throws {
        know("hello")
        connection.answer(
            "JOIN message", .rows(message(0, byteCount: byteCount, bodyStart: start)))
        let found = try #require(try read(byteCountMax: max).first)
        #expect(String(decoding: found.bytes, as: UTF8.self) == text)
        #expect(found.bodyStart == start)
        let flags: MessageRecord.Flags = isCut ? [.fragmented, .cut] : [.fragmented]
        #expect(found.flags == flags)
    }

    @Test func `each body is read only once for a page of messages`() throws {
        know("hello")
        connection.answer(
            "JOIN message",
            .rows(
                message(0, bodyStart: 0), message(1, bodyStart: 2),
                message(2, direction: 0, bodyStart: 0)))
        #expect(try read().map(\.bytes) == [Array("hel".utf8), Array("llo".utf8), []])
        let bodies = connection.outline.filter { $0.hasSuffix("_body") }
        #expect(bodies == ["SELECT response_body", "SELECT request_body"])
    }

    @Test func `reading messages inside a body fails if the body cannot be read`() {
        connection.answer("JOIN message", .rows(message(0, bodyStart: 0)))
        connection.answer(
            "SELECT response_body",
            .failure(.server(code: "42501", message: "no right")))
        #expect(throws: StoreError.central("no right (SQLSTATE 42501)")) { try read() }
    }

    @Test func `the central reader passes on messages page by page`() throws {
        let page = (0..<16 as Range<Int64>).map { message($0, bytes: [1]) }
        let rows = page.map(ScriptedConnection.row)
        connection.answer(
            "JOIN message", ScriptedConnection.Reply(rows: rows),
            .rows(message(20, bytes: [1])), .rows())
        var positions: [Int64] = []
        let last = try reader.forEachMessagePage(of: id, byteCountMax: 10) { page in
            positions += page.map(\.position)
            return true
        }
        #expect(positions == Array(0...15) + [20] && last == 20)
        let starts = connection.requests.map { $0.arguments[2] }
        #expect(starts == [.integer(0), .integer(16), .integer(21)])
        connection.answer("max(position)", .rows([.integer(20)]), .rows([.null]))
        #expect(try reader.lastMessagePosition(of: id) == 20)
        #expect(try reader.lastMessagePosition(of: id) == nil)
    }
}
