import Testing

@testable import ProxydCentralStore

/// Tests of messages: WebSocket close codes, which PostgreSQL decides, and their contents, which it
/// does not.
@Suite struct PostgresDialectMessageTests {
    private static let head =
        "EXISTS (SELECT 1 FROM message WHERE message.started_at = exchange.started_at "
        + "AND message.exchange_id = exchange.id AND "
    private static let code =
        "\(head)kind = 8 AND length(octets) >= 2 AND substr(octets, 1, 2) BETWEEN $1 AND $2)"

    @Test(
        arguments: [
            ("ws.close=1000", [0x03, 0xE8], [0x03, 0xE8]),
            ("ws.close<1000", [0x00, 0x00], [0x03, 0xE7]),
            ("ws.close>4999", [0x13, 0x88], [0xFF, 0xFF]),
            ("ws.close=0", [0x00, 0x00], [0x00, 0x00]),
            ("ws.close=65535", [0xFF, 0xFF], [0xFF, 0xFF]),
        ] as [(String, [UInt8], [UInt8])])
    func `a WebSocket close code filter compares the first two bytes of the close frame in SQL`(
        filter: String, lower: [UInt8], upper: [UInt8]
    ) throws {
        let written = try WrittenFilter(filter)
        #expect(written.sql == Self.code)
        #expect(written.arguments == [.bytes(lower), .bytes(upper)])
        #expect(written.isExact && !written.hasResidual)
    }

    @Test func `a filter for WebSocket close code 1005 also matches close frames without a code`()
        throws
    {
        let written = try WrittenFilter("ws.close=1005")
        #expect(
            written.sql
                == "(\(Self.code) OR \(Self.head)kind = 8 AND coalesce(length(octets), 0) < 2))")
        #expect(written.arguments == [.bytes([0x03, 0xED]), .bytes([0x03, 0xED])])
    }

    @Test func `a filter for close code 1006 also matches ended WebSockets without a close frame`()
        throws
    {
        let written = try WrittenFilter("ws.close=1006")
        #expect(
            written.sql == "(\(Self.code) OR (NOT \(Self.head)kind = 8) AND exchange.state <> 0 "
                + "AND \(CentralViews.protocolSQL("exchange")) = 'ws'))")
        #expect(written.arguments == [.bytes([0x03, 0xEE]), .bytes([0x03, 0xEE])])
        // Any code: both kinds without one, too.
        let any = try WrittenFilter("ws.close>=0")
        #expect(any.sql.contains("coalesce(length(octets), 0) < 2) OR (NOT EXISTS"))
        #expect(any.arguments == [.bytes([0, 0]), .bytes([0xFF, 0xFF])])
    }

    @Test(arguments: ["ws.close>65535", "ws.close=70000", "ws.close<0", "ws.close=-1"])
    func `a filter for a WebSocket close code outside 0 to 65535 matches nothing`(filter: String)
        throws
    {
        let written = try WrittenFilter(filter)
        #expect(written.sql == "false" && written.arguments == [] && written.isExact)
        #expect(try WrittenFilter("not \(filter)").sql == "NOT coalesce(false, false)")
    }

    @Test(arguments: [
        ("msg:x", "true)"),
        ("ws:x", "kind IN (1, 2, 8, 9, 10))"),
        ("ws.out:x", "kind IN (1, 2, 8, 9, 10) AND direction = 0)"),
        ("ws.in~x", "kind IN (1, 2, 8, 9, 10) AND direction = 1)"),
        ("sse.event=x", "kind IN (17))"),
        ("sse.data:x", "kind IN (17))"),
        ("sse.id=x", "kind IN (17))"),
    ])
    func `for a filter on message contents, SQL checks only for messages of the right kind`(
        filter: String, end: String
    ) throws {
        let written = try WrittenFilter(filter)
        #expect(written.sql == Self.head + end)
        #expect(written.arguments == [])
        #expect(!written.isExact && written.hasResidual)
    }

    @Test func `filters treat a NULL message count as 0 only for protocols that have messages`()
        throws
    {
        let spoken = CentralViews.protocolSQL("exchange")
        let all = try WrittenFilter("msg.count>=2")
        #expect(
            all.sql == "(CASE WHEN \(spoken) IN ('ws', 'grpc', 'grpcweb', 'sse') "
                + "THEN coalesce(exchange.message_count, 0) ELSE exchange.message_count END) >= $1")
        let frames = try WrittenFilter("ws.count=0")
        #expect(
            frames.sql
                == "(CASE WHEN \(spoken) = 'ws' THEN coalesce(exchange.message_count, 0) END) = $1")
        #expect(all.arguments == [.integer(2)] && frames.arguments == [.integer(0)])
    }
}
