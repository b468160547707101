import ProxydHTTPModel
import Testing

/// Heads composed of parts are the bytes that go over the wire.
struct HeadTests {
    @Test func `a composed request head is serialized as request line, fields and empty line`() {
        let head = RequestHead(
            method: .post, target: Array("/a?b".utf8), fields: HeaderFields([("Host", "h")]))
        #expect(
            String(decoding: head.bytes, as: UTF8.self) == "POST /a?b HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(head.targetText == "/a?b")
        #expect(head.fields.value(.host) == "h")
    }

    @Test func `a composed response head is serialized as status line, fields and empty line`() {
        let head = ResponseHead(
            version: .http10, status: 404, reason: "Not Found",
            fields: HeaderFields([("Date", "now")]))
        #expect(
            String(decoding: head.bytes, as: UTF8.self)
                == "HTTP/1.0 404 Not Found\r\nDate: now\r\n\r\n")
        #expect(head.reason == "Not Found")
        #expect(!head.isInformational)
    }

    @Test func `HTTP method names are case-sensitive, and PUT is idempotent but POST is not`() {
        #expect(HTTPMethod(rawValue: "get") != .get)
        #expect(HTTPMethod.put.isIdempotent)
        #expect(!HTTPMethod.post.isIdempotent)
        #expect(!HTTPMethod(rawValue: "get").isIdempotent)
    }
}

/// URLs are what was sent, cut into their parts and nothing else.
struct RawURLTests {
    private func url(_ origin: String, port: UInt16 = 80, host: String = "h") -> RawURL {
        RawURL(scheme: "http", host: host, port: port, origin: Array(origin.utf8))
    }

    @Test func `the path and query of a URL are split at the first question mark`() {
        #expect(url("/a/../b%20?x=1?y").pathText == "/a/../b%20")
        #expect(url("/a?x=1?y").queryText == "x=1?y")
        #expect(url("/a?").queryText == "")
        #expect(url("/a").queryText == nil)
    }

    @Test
    func `the authority of a URL has brackets for IPv6, and a port unless it is the default one`() {
        #expect(url("/").authority == "h")
        #expect(url("/", port: 8080).authority == "h:8080")
        #expect(url("/", host: "::1").authority == "[::1]")
        #expect(url("/", port: 1, host: "::1").description == "http://[::1]:1/")
        #expect(url("*").description == "http://h")
    }

    @Test(arguments: [80, 443] as [UInt16])
    func `the URL of a CONNECT tunnel always includes the port`(port: UInt16) {
        #expect(RawURL.tunnel(host: "h", port: port).description == "tunnel://h:\(port)")
    }

    @Test func `bytes of a URL path that are not UTF-8 are shown percent-encoded`() {
        let raw = RawURL(scheme: "http", host: "h", port: 80, origin: [0x2F, 0xE9, 0x61])
        #expect(raw.pathText == "/%E9a")
    }
}
