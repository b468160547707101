import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import Testing

/// mitmproxy's operators, each on an exchange that it finds and on one that differs where it looks.
@Suite struct FilterMitmproxyTests {
    private static let shop = FilterRow.with { row in
        row.texts[.method] = "POST"
        row.texts[.scheme] = "https"
        row.texts[.host] = "Shop.test"
        row.texts[.path] = "/cart/Add"
        row.texts[.query] = "id=7"
        row.texts[.client] = "127.0.0.1:50001"
        row.texts[.requestType] = "application/x-www-form-urlencoded"
        row.texts[.responseType] = "image/png"
        row.texts[.note] = "Ask Ann"
        row.numbers[.port] = 8_443
        row.numbers[.status] = 404
        row.headers = [
            .request: [("User-Agent", "curl/8")], .response: [("Location", "/login")],
        ]
        row.bodies = [.request: Array("user=Alice".utf8), .response: Array("COFFEE".utf8)]
    }

    @Test(arguments: [
        ("~u /cart/add", true), ("~u ^https://shop\\.test:8443/", true), ("~u /cart$", false),
        ("~m post", true), ("~m ^GET$", false), ("~d ^shop", true), ("~d 8443", false),
        ("~c 404", true), ("~c 40", false), ("~t png", true), ("~t FORM", true),
        ("~t json", false), ("~tq form", true), ("~tq png", false), ("~ts ^image/", true),
        ("~ts form", false), ("~h curl", true), ("~h ^location:", true),
        ("~hq \"user-agent: CURL\"", true), ("~hq location", false), ("~hs location", true),
        ("~hs curl", false), ("~b coffee", true), ("~b alice", true), ("~b tea", false),
        ("~bq alice", true), ("~bq coffee", false), ("~bs coffee", true), ("~bs alice", false),
        ("~src ^127\\.0\\.0\\.1:5", true), ("~src 10\\.", false),
        ("~dst ^shop\\.test:8443$", true), ("~dst :443$", false), ("~comment ask", true),
        ("~comment bob", false), ("~s", true), ("~q", false), ("~a", true), ("~all", true),
        ("~http", true), ("~marked", true), ("~e", false), ("~replay", false),
        ("~replayq", false), ("~websocket", false), ("~tcp", false),
    ])
    func `a mitmproxy filter operator tests the same field as in mitmproxy, ignoring case`(
        text: String, isFound: Bool
    ) throws {
        #expect(try Filter.parse(text).matches(Self.shop) == isFound)
        #expect(try Filter.parse("!(\(text))").matches(Self.shop) == !isFound)
    }

    @Test(arguments: [
        "text/javascript", "application/javascript; charset=utf-8", "text/css", "IMAGE/webp",
        "font/woff2", "application/font-woff", "application/x-javascript",
    ])
    func `mitmproxy's asset operator matches style sheets, scripts, images and fonts`(type: String)
        throws
    {
        let row = FilterRow.with { $0.texts[.responseType] = type }
        #expect(try Filter.parse("~a").matches(row))
    }

    @Test(arguments: ["text/html", "application/json", "text/plain", "video/mp4"])
    func `mitmproxy's asset operator does not match other media types`(type: String) throws {
        let row = FilterRow.with { $0.texts[.responseType] = type }
        #expect(try !Filter.parse("~a").matches(row))
    }

    @Test func `mitmproxy's asset operator tests the response's media type, not the request's`()
        throws
    {
        let row = FilterRow.with { $0.texts[.requestType] = "image/png" }
        #expect(try !Filter.parse("~a").matches(row))
    }

    @Test
    func `mitmproxy's operators for errors, tunnels, replays and WebSockets match only those`()
        throws
    {
        let failed = FilterRow.with { row in
            row.texts[.state] = "failed"
            row.texts[.error] = "upstream connect: refused"
            row.numbers[.status] = nil
        }
        let tunnel = FilterRow.with { $0.texts[.state] = "tunnel" }
        let replay = FilterRow.with { $0.numbers[.replayOf] = 3 }
        let webSocket = FilterRow.with { $0.texts[.upgradedTo] = "websocket" }
        func found(_ text: String) throws -> [Bool] {
            let filter = try Filter.parse(text)
            return [failed, tunnel, replay, webSocket].map(filter.matches)
        }
        #expect(try found("~e") == [true, false, false, false])
        #expect(try found("~q") == [true, false, false, false])
        #expect(try found("~tcp") == [false, true, false, false])
        #expect(try found("~replay") == [false, false, true, false])
        #expect(try found("~replayq") == [false, false, true, false])
        #expect(try found("~websocket") == [false, false, false, true])
        #expect(try found("~marked") == [false, false, false, false])
    }

    @Test func `mitmproxy's marked operator matches exchanges with a tag, a note or a pin`() throws
    {
        let marked = try Filter.parse("~marked")
        #expect(marked.matches(FilterRow.with { $0.tags = ["a"] }))
        #expect(marked.matches(FilterRow.with { $0.texts[.note] = "a" }))
        #expect(marked.matches(FilterRow.with { $0.numbers[.pinned] = 1 }))
        #expect(!marked.matches(FilterRow.with { $0.numbers[.pinned] = 0 }))
    }

    @Test(arguments: [
        ("~c abc", 4, "status"), ("~c", 3, "status"), ("~u (", 4, "needs a regular expression"),
        ("~u a(", 5, "never closed"),
        ("~bogus", 1, "~"), ("~marked ~zz", 9, "~"),
    ])
    func `a mistake in a mitmproxy filter operator is reported at its column`(
        text: String, column: Int, hint: String
    ) {
        let error = #expect(throws: FilterError.self) { _ = try Filter.parse(text) }
        #expect(error?.column == column, "\(error?.description ?? "")")
        #expect(error?.message.contains(hint) ?? false, "\(error?.message ?? "")")
    }
}
