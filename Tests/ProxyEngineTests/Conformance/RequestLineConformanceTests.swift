import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// RFC 9112 §3 as seen on the wire: rows 9 to 18 of docs/HTTP-SUPPORT.md.
struct RequestLineConformanceTests {
    @Test
    func `a request line of more than 8,000 bytes is accepted, and one over the limit gets a 414`()
        throws
    {
        let path = "/" + String(repeating: "a", count: 8_000)
        let long = try Playbook.exchange("GET http://h\(path) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(long.server == "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
        let around = "GET http://h/ HTTP/1.1".utf8.count
        let limit = WireLimits().requestLineByteCountMax
        for (count, status) in [(limit, 204), (limit + 1, 414)] {
            let fill = String(repeating: "a", count: count - around)
            let outcome = try Playbook.exchange(
                "GET http://h/\(fill) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(outcome.status == status)
            #expect(outcome.servers.isEmpty == (status == 414))
        }
    }

    @Test(arguments: ["FOO", "get", "M-SEARCH", "PROPFIND", "!#$%&'*+-.^_`|~09"])
    func `an unknown method is forwarded with its spelling unchanged`(method: String) throws {
        let outcome = try Playbook.exchange("\(method) http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.server == "\(method) / HTTP/1.1\r\nHost: h\r\n\r\n")
    }

    @Test func `a method of 1 MiB is answered with a 501`() throws {
        let method = String(repeating: "A", count: 1 << 20)
        let outcome = try Playbook.exchange("\(method) http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.isRefused(501))
    }

    @Test(arguments: [
        "GET  http://h/ HTTP/1.1", "GET http://h/  HTTP/1.1", "GET\thttp://h/ HTTP/1.1",
        "GET http://h/\tHTTP/1.1", "GET http://h/a b HTTP/1.1", "GET http://h/", "GET",
        " GET http://h/ HTTP/1.1", "GET http://h/ HTTP/1.1 ", "GET http://h/ http/1.1",
        "GET http://h/ HTTP/11", "GET http://h/ HTTP/1.", "GET http://h/ HTTP/1.1x",
        "G(T / HTTP/1.1", "GET h/ HTTP/1.1", "GET * HTTP/1.1", "GET http:/h/ HTTP/1.1",
        "GET http://h/\u{7F} HTTP/1.1", "GET http://h\u{E9}/ HTTP/1.1",
    ])
    func `an invalid request line is rejected with 400 instead of being repaired`(line: String)
        throws
    {
        #expect(try Playbook.exchange(line + "\r\nHost: h\r\n\r\n").isRefused(400))
    }

    @Test(arguments: [
        "", "Host: h\r\nHost: h\r\n", "Host: h\r\nX: y\r\nhost: other\r\n", "Host:\r\n",
        "Host: h i\r\n", "Host: h, h\r\n", "Host: h/\r\n", "Host: http://h\r\n", "Host: u@h\r\n",
        "Host: h:x\r\n", "Host: h:65536\r\n", "Host: [::1\r\n", "Host: ::1\r\n",
    ])
    func `a missing, repeated or invalid Host is rejected with 400, also for OPTIONS and CONNECT`(
        lines: String
    ) throws {
        for start in ["GET http://h/", "OPTIONS *", "CONNECT h:443"] {
            let outcome = try Playbook.exchange("\(start) HTTP/1.1\r\n\(lines)\r\n")
            #expect(outcome.isRefused(400), "\(start) \(outcome.client)")
        }
    }

    @Test func `the host of an absolute request target replaces the client's Host field`() throws {
        let outcome = try Playbook.exchange(
            "GET http://good.test:81/p HTTP/1.1\r\nX: y\r\nHost: evil.test\r\n\r\n")
        #expect(outcome.server == "GET /p HTTP/1.1\r\nX: y\r\nHost: good.test:81\r\n\r\n")
    }

    @Test(arguments: [
        ("http://h", "/"), ("http://h?q", "/?q"), ("http://h/", "/"), ("http://h?", "/?"),
        ("HTTP://h/a?b", "/a?b"),
    ])
    func `the request target is sent to servers in origin form`(target: String, origin: String)
        throws
    {
        let outcome = try Playbook.exchange("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.server == "GET \(origin) HTTP/1.1\r\nHost: h\r\n\r\n")
    }

    @Test(arguments: [
        ("http://h", "*"), ("http://h:81", "*"), ("http://h/", "/"), ("http://h/a", "/a"),
        ("http://h?q", "/?q"),
    ])
    func `an OPTIONS request for an absolute URL with no path or query is forwarded as OPTIONS *`(
        target: String, origin: String
    ) throws {
        let outcome = try Playbook.exchange("OPTIONS \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.server.hasPrefix("OPTIONS \(origin) HTTP/1.1\r\n"))
    }

    @Test(arguments: [
        "//", "/a//b", "//a/../%7e;x?%2F", "/.", "/..", "/../..", "/a/./b", "/a/../b", "/%2e%2e/",
        "/%2E%2E%2f", "/%00", "/%", "/%zz", "/%C3%A9", "/%c3%a9", "/a;b=c", "/a;b;c?d;e", "/a,b",
        "/a:b", "/@", "/a@b:c", "/~", "/%7E", "/%7e", "/!$&'()*+,;=", "/[]", "/{}", "/|", "/^",
        "/`", "/\\", "/\"", "/<>", "/?", "/??", "/?a=b&a=b", "/?a+b", "/?%20", "/?http://x/",
        "/?&&=", "/a?b?c/d", "/http://other/x",
    ])
    func `path and query are forwarded and recorded exactly as they were written`(origin: String)
        throws
    {
        let outcome = try Playbook.exchange("GET http://h\(origin) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.server == "GET \(origin) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.rows.first?.url == "http://h\(origin)")
    }

    /// Texts are written for bytes: the second is `é` in UTF-8, the first in Latin-1.
    @Test(arguments: [
        ("/caf\u{E9}", "/caf%E9"), ("/caf\u{C3}\u{A9}?x=\u{FF}", "/café?x=%FF"),
        ("/\u{C2}\u{9B}2J", "/\u{9B}2J"),
    ])
    func `non-ASCII bytes in a request target are forwarded unchanged and shown in the URL`(
        origin: String, shown: String
    ) throws {
        // Path and query are each shown as UTF-8 where they are.
        let outcome = try Playbook.exchange("GET http://h\(origin) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.server == "GET \(origin) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.rows.first?.url == "http://h\(shown)")
    }

    @Test(arguments: [
        ("http://h#f", "/"), ("http://h/p#f", "/p"), ("http://h/p?q#f?x", "/p?q"),
        ("http://h?#", "/?"), ("http://h/#@other.test/", "/"),
    ])
    func `a fragment in a request target is not forwarded, but is kept in the recorded head`(
        target: String, origin: String
    ) throws {
        let request = "GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n"
        let outcome = try Playbook.exchange(request)
        #expect(outcome.server == "GET \(origin) HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.rows.first?.url == "http://h\(origin)")
        #expect(outcome.rows.first?.requestHead == Array(request.utf8))
    }

    @Test func `a fragment in a request target inside a CONNECT tunnel is not forwarded`() throws {
        let outcome = try Playbook.play { book in
            book.requests("CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n")
            book.connects()
            book.requests("GET /p#f HTTP/1.1\r\nHost: h:7\r\n\r\n")
            book.answers(Playbook.noContent)
            return book.outcome
        }
        #expect(outcome.server == "GET /p HTTP/1.1\r\nHost: h:7\r\n\r\n")
        #expect(outcome.rows.first?.url == "http://h:7/p")
    }

    @Test(arguments: ["EXAMPLE.test.", "example.TEST", "a.b.example", "xn--caf-dma.test", "1.2.3"])
    func `the proxy connects to a host and names it in Host exactly as the client wrote it`(
        host: String
    )
        throws
    {
        let (outcome, did) = try Playbook.play { book in
            book.requests("GET http://\(host)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let did = book.did()
            book.connects()
            return (book.outcome, did)
        }
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(did == ["connect \(host):80"])
    }

    @Test(arguments: [
        "http:///x", "http://:80/", "http://u:p@h/", "http://u@h/", "http://@h/", "http://?q",
        "https:///", "http://h:0/", "http://h:65536/", "http://h:-1/", "http://h:8x/",
        "http://[::1/", "http://[1.2.3.4]/", "http://[::1]x/",
    ])
    func `a request target with userinfo or an empty or invalid authority is rejected with 400`(
        target: String
    ) throws {
        #expect(
            try Playbook.exchange("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n").isRefused(400))
    }
}
