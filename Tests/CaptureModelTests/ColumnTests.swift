import ProxydCaptureModel
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Rows become exchanges, connections and messages, also those that a damaged store returns.
@Suite struct ColumnTests {
    private typealias Column = StoredRecord.Column

    private static func record(
        _ values: [Column: SQLValue] = [:], _ heads: [String: String] = [:]
    ) -> StoredRecord {
        var record = StoredRecord(
            values: Column.allCases.map { values[$0] ?? .null },
            heads: StoredHeads.columns.map { SQLValue(heads[$0].map { Array($0.utf8) }) })
        record.requestBody = []
        return record
    }

    private static let stored: [Column: SQLValue] = [
        .state: .integer(1), .startedNs: .integer(7), .scheme: .text("https"),
        .host: .text("a.test"), .port: .integer(8_443), .path: .text("/p"), .query: .text("q=1"),
        .requestBytes: .integer(3), .responseBytes: .integer(5), .flags: .integer(7),
        .id: .integer(42), .user: .text("ann"), .clientStream: .integer(5),
        .reset: .integer(8 << 2 | 1), .replayOf: .integer(41), .clientConnection: .integer(9),
    ]

    private static let heads = [
        "request_head": "POST /p?q=1 HTTP/1.1\r\nHost: a.test\r\n\r\n",
        "response_head": "HTTP/1.1 201 Made\r\nX: 1\r\n\r\n",
        "interim_heads": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\n",
        "request_trailers": "X-Sum: 1\r\n\r\n",
        "request_head_sent": "POST /p HTTP/1.1\r\nHost: b.test\r\n\r\n",
    ]

    @Test func `a stored row is decoded into a complete exchange`() {
        var record = Self.record(Self.stored, Self.heads)
        record.requestBody = Array("abc".utf8)
        record.responseBody = Array("hello".utf8)
        record.requestBodySent = Array("xy".utf8)
        let exchange = record.exchange
        #expect(exchange.id == ExchangeID(rawValue: 42) && exchange.state == .complete)
        #expect(exchange.request.url.map { "\($0)" } == "https://a.test:8443/p?q=1")
        #expect(exchange.request.head?.method == "POST")
        #expect(exchange.request.trailers?["x-sum"] == "1")
        #expect(exchange.request.sentHead?.targetText == "/p")
        #expect(exchange.request.sentBody?.kept == Array("xy".utf8))
        #expect(exchange.response?.status == 201 && exchange.response?.head.reason == "Made")
        #expect(exchange.response?.body.kept == Array("hello".utf8))
        #expect(exchange.informational.map(\.status) == [100, 103])
        #expect(exchange.user == "ann" && exchange.replayOf == ExchangeID(rawValue: 41))
        #expect(exchange.http2?.clientStream == StreamID(rawValue: 5))
        #expect(exchange.http2?.reset?.code == .cancel && exchange.http2?.reset?.side == .server)
        #expect(exchange.timeline.wallStart == 7 && exchange.timeline.connectionReused)
        #expect(record.connections == [9])
    }

    @Test
    func `the columns of stored exchanges match the Column enum's cases and have unique names`() {
        #expect(StoredRecord.columnNames.count == Column.allCases.count)
        #expect(Set(StoredRecord.columnNames).count == StoredRecord.columnNames.count)
        #expect(StoredRecord.columnNames.starts(with: ExchangeColumns.columns))
        #expect(StoredRecord.columnNames[Column.grpcStatus.rawValue] == "grpc_status")
        #expect(StoredRecord.columnNames[Column.requestKeptBytes.rawValue] == "request_kept_bytes")
    }

    @Test func `a stored row of only NULLs becomes an active exchange without request or response`()
    {
        let exchange = Self.record().exchange
        #expect(exchange.state == .active && exchange.request.url == nil)
        #expect(exchange.request.head == nil && exchange.response == nil)
        #expect(exchange.http2 == nil && exchange.failure == nil && exchange.informational == [])
    }

    /// SQLite returns any type anywhere, and a cut file may return fewer values.
    @Test func `decoding stored rows tolerates values of the wrong type and missing values`() {
        var random = SplitMix(seed: 2)
        let values: [SQLValue] = [
            .null, .integer(.max), .integer(.min), .integer(3), .text(""), .text("x\u{0}"),
            .blob([]), .blob([0xFF, 0, 0x0D, 0x0A]), .text("client"), .text("upstream"),
        ]
        func row(_ count: Int) -> [SQLValue] { (0..<count).map { _ in values.pick(&random) } }
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...40, using: &random)
            var record = StoredRecord(values: row(count), heads: row(count / 3))
            record.responseBodySent = [1]
            #expect(record.exchange.id.rawValue == record.id)
            let listed = ExchangeRow(row(count))
            #expect(listed.url?.isEmpty != true)
            #expect(MessageRow(row(count), startedAtNs: .max).byteCount >= 0)
            _ = ConnectionRecord(1, row(count))
            _ = AppliedRule(row(count))
            _ = ResponseFault(row(count))
        }
    }

    @Test(
        arguments: [
            (.text("65536"), nil), (.integer(65_536), nil), (.integer(-1), nil), (.integer(0), 0),
            (.integer(65_535), 65_535), (.null, nil),
        ] as [(SQLValue, UInt16?)])
    func `a stored port outside 0 to 65535 leaves the exchange without a URL`(
        value: SQLValue, port: UInt16?
    ) {
        var record = Self.record(Self.stored, Self.heads)
        record[.port] = value
        #expect(record.exchange.request.url?.port == port)
    }

    @Test func `a stored failure whose kind is missing or unknown is not decoded`() {
        var record = Self.record(Self.stored)
        record[.errorOrigin] = .text("upstream")
        #expect(record.exchange.failure == nil)
        record[.errorKind] = .text("connectFailed")
        let failure = record.exchange.failure
        #expect(failure?.origin == .upstream && failure?.kind == .connectFailed)
        record[.errorKind] = .text("nonsense")
        #expect(record.exchange.failure == nil)
    }

    @Test func `a stored head that is malformed is not decoded`() {
        var record = Self.record(Self.stored, Self.heads)
        record[.flags] = .integer(ExchangeFlags.malformedHead.rawValue)
        #expect(record.exchange.request.head == nil)
        #expect(record.exchange.request.url != nil)
        let damaged = Self.record(Self.stored, ["response_head": "HTTP/1.1 2000 X\r\n\r\n"])
        #expect(damaged.exchange.response == nil)
    }

    @Test func `a stored request head of several megabytes is decoded`() {
        let long = String(repeating: "a", count: 2_000_000)
        let record = Self.record(
            Self.stored, ["request_head": "GET /\(long) HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n"])
        #expect(record.exchange.request.head?.target.count == long.count + 1)
    }

    @Test
    func `a response made by a rule is the exchange's response if the server did not send one`() {
        var record = Self.record(
            Self.stored, ["response_head_sent": "HTTP/1.1 418 I\r\nContent-Length: 9\r\n\r\n"])
        record.responseBodySent = Array("short".utf8)
        let response = record.exchange.response
        #expect(response?.status == 418 && response?.sentHead == nil)
        #expect(response?.body.kept == Array("short".utf8))
        #expect(response?.body.byteCount == 9 && response?.body.isTruncated == true)
    }

    @Test func `HTTP/2 frames added later are appended to an exchange's stored frames`() {
        var record = Self.record(Self.stored, Self.heads.merging(["frames": "ab"]) { $1 })
        record.addFrames([1, 2])
        record.addFrames([])
        #expect(record.exchange.frames == [0x61, 0x62, 1, 2])
        var none = Self.record(Self.stored)
        none.addFrames([3])
        #expect(none.exchange.frames == [3])
    }

    @Test func `leading values of a joined row can be dropped to decode the next table's columns`()
    {
        let row: [SQLValue] = [.integer(1), .text("a"), .blob([2]), .integer(3)]
        let later = row.dropping(1).dropping(1)
        #expect(later.bytes(0) == [2] && later.integer(1) == 3 && later.integer(2) == nil)
        #expect(row.dropping(0).text(1) == "a" && row.text(0) == nil && row.int(-1) == nil)
    }
}
