import ProxydCaptureModel
import ProxydHTTPModel
import Testing

struct ExchangeRowTests {
    @Test(
        arguments: [
            (Rows.row(path: "/a", query: "b=c"), "http://a.test/a?b=c"),
            (Rows.row(port: 8_080), "http://a.test:8080/"),
            (Rows.row(scheme: "https", port: 443), "https://a.test/"),
            (Rows.row(scheme: "https", port: 80), "https://a.test:80/"),
            (Rows.row(host: "2001:db8::1"), "http://[2001:db8::1]/"),
            (Rows.row(path: "*"), "http://a.test"),
            (Rows.row(path: "/", query: ""), "http://a.test/?"),
            (Rows.row(host: nil), nil), (Rows.row(path: nil), nil),
        ] as [(ExchangeRow, String?)])
    func `an exchange's URL omits the scheme's default port and puts brackets around IPv6`(
        row: ExchangeRow, url: String?
    ) {
        #expect(row.url == url)
    }

    @Test func `an exchange ID is shown as a number, preceded by the store's name if there is one`()
    {
        var row = Rows.row(17 << 34 | 4_711)
        row.replayOf = ExchangeID(rawValue: 17 << 34 | 4_700)
        #expect(row.number == row.id.rawValue)
        #expect(row.idText == "\(row.id)")
        #expect(row.replayOfText == row.replayOf?.description)
        row.storeName = "ci-17"
        #expect(row.number == 4_711)
        #expect(row.idText == "ci-17:4711")
        #expect(row.replayOfText == "ci-17:4700")
    }

    @Test func `an exchange's duration is given in milliseconds rounded to three decimals`() {
        #expect(Rows.row(durationNs: 1_234_567).durationMilliseconds == 1.235)
        #expect(Rows.row(durationNs: 0).durationMilliseconds == 0)
        #expect(Rows.row(durationNs: nil).durationMilliseconds == nil)
    }

    @Test func `tunnels and upgraded exchanges are marked as relayed`() {
        #expect(Rows.row(state: .tunnel).isRelayed)
        var upgraded = Rows.row(status: 101)
        #expect(!upgraded.isRelayed)
        upgraded.upgradedTo = "websocket"
        #expect(upgraded.isRelayed)
    }

    @Test(
        arguments: [
            ("HTTP/1.1", nil, .http1), ("HTTP/2", nil, .http2Clear),
            ("HTTP/1.1", "websocket", .webSocket), ("HTTP/2", "websocket", .webSocket),
        ] as [(String, String?, ExchangeProtocol)])
    func `an exchange's protocol is the one it was upgraded to, or else its HTTP version`(
        version: String, upgrade: String?, expected: ExchangeProtocol
    ) {
        var row = Rows.row()
        row.httpVersion = version
        row.upgradedTo = upgrade
        #expect(row.spokenProtocol == expected)
    }
}

/// Rows as a store returns them.
enum Rows {
    static func row(
        _ id: Int64 = 1, method: String? = "GET", scheme: String? = "http",
        host: String? = "a.test", port: Int? = 80, path: String? = "/", query: String? = nil,
        status: Int? = 200, durationNs: Int64? = 1, byteCount: Int64 = 0,
        state: ExchangeState = .complete
    ) -> ExchangeRow {
        var row = ExchangeRow(id: ExchangeID(rawValue: id), startedAtNs: 1_000 &+ id, state: state)
        row.method = method
        row.scheme = scheme
        row.host = host
        row.port = port
        row.path = path
        row.query = query
        row.status = status
        row.durationNs = durationNs
        row.responseBodyByteCount = byteCount
        row.responseKeptByteCount = byteCount
        return row
    }
}
