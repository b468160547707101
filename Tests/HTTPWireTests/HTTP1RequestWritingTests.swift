import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

@Suite struct HTTP1RequestWritingTests {
    private let tunnel = Receiver.origin(scheme: "https", host: "a.test", port: 443)

    @Test func `end-to-end fields of a request are forwarded byte for byte`() {
        let lines = "hOSt: a.test\nB:  x \\t\na:y\nB: \\xff\\xc3\nCookie: a=b\nX-Empty:\n"
        #expect(
            Forwarding.request("GET http://a.test/p?q HTTP/1.1\n\(lines)\n")
                == "GET /p?q HTTP/1.1\n\(lines)\n"
        )
    }

    @Test(arguments: [
        ("http://a.test", "/"), ("http://a.test?q", "/?q"), ("http://a.test/", "/"),
        ("http://a.test//a/../%7e;x?%2F", "//a/../%7e;x?%2F"), ("HTTP://a.test/X", "/X"),
        ("http://a.test#f", "/"), ("http://a.test/x?y#f", "/x?y"),
        ("http://a.test/\\xc3\\xa9?\\xff", "/\\xc3\\xa9?\\xff"), ("http://a.test:80/x", "/x"),
        ("http://a.test:/x", "/x"),
    ])
    func `an absolute target is forwarded in origin-form with path and query unchanged`(
        target: String,
        origin: String
    ) {
        #expect(
            Forwarding.request("GET \(target) HTTP/1.1\nHost: a.test\n\n")
                == "GET \(origin) HTTP/1.1\nHost: a.test\n\n"
        )
    }

    @Test(arguments: [
        ("http://a.test", "*"), ("http://a.test/", "/"), ("http://a.test?q", "/?q"),
        ("http://a.test/x", "/x"),
    ])
    func `OPTIONS for a URL without path and query is forwarded in asterisk-form`(
        target: String,
        origin: String
    ) {
        #expect(
            Forwarding.request("OPTIONS \(target) HTTP/1.1\nHost: a.test\n\n")
                == "OPTIONS \(origin) HTTP/1.1\nHost: a.test\n\n"
        )
    }

    @Test(arguments: [
        ("http://good.test/", "evil.test", "good.test"),
        ("http://good.test:8080/", "good.test", "good.test:8080"),
        ("http://good.test/", "good.test:8080", "good.test"),
        ("https://good.test:80/", "good.test", "good.test:80"),
        ("http://[::1]:81/", "x", "[::1]:81"),
        ("http://EXAMPLE.test./", "x", "EXAMPLE.test."),
        // What already means the same keeps its spelling.
        ("http://good.test/", "GOOD.test", "GOOD.test"),
        ("http://good.test:80/", "good.test:80", "good.test:80"),
        ("http://good.test/", "good.test:80", "good.test:80"),
    ])
    func `a Host field that contradicts the absolute target is corrected without being moved`(
        target: String,
        host: String,
        sent: String
    ) {
        #expect(
            Forwarding.request("GET \(target) HTTP/1.1\nA: b\nhost: \(host)\nC: d\n\n")
                == "GET \(RawURLText.path(of: target)) HTTP/1.1\nA: b\nhost: \(sent)\nC: d\n\n"
        )
    }

    @Test func `a forwarded request without Host gets one as its first field line`() {
        #expect(
            Forwarding.request("GET http://a.test:81/ HTTP/1.0\nA: b\n\n")
                == "GET / HTTP/1.1\nHost: a.test:81\nA: b\n\n"
        )
    }

    @Test
    func `Host inside a tunnel is forwarded unchanged unless the proxy is set to regenerate it`() {
        let request = "GET /x HTTP/1.1\nHOST: other.test:1\n\n"
        #expect(Forwarding.request(request, via: tunnel) == request)
        var options = ForwardedRequest.Options()
        options.regeneratesHost = true
        #expect(
            Forwarding.request(request, via: tunnel, options: options)
                == "GET /x HTTP/1.1\nHOST: a.test\n\n"
        )
    }

    @Test(arguments: [
        "Connection: keep-alive", "Connection: close", "Proxy-Connection: keep-alive",
        "Keep-Alive: timeout=5", "TE: trailers", "TE: gzip\nConnection: TE", "Upgrade: websocket",
        "Connection: X\nX: 1", "connection: ,, x ,\nx: 1\nX: 2", "Connection: x, y\nY: 1\nX: 2",
        "Connection: x\nConnection: y\nX: 1\nY: 1", "X: 1\nConnection: X",
        "Proxy-Authorization: Basic eDp5", "HTTP2-Settings: AAMA\nConnection: HTTP2-Settings",
        "Upgrade: h2c\nHTTP2-Settings: AA\nConnection: Upgrade, HTTP2-Settings",
        "Upgrade: h2\nConnection: upgrade", "Connection:", "Connection: close, keep-alive, x",
        "Authorization: x\nConnection: Authorization",
    ])
    func `hop-by-hop fields of a request are not forwarded`(lines: String) {
        #expect(
            Forwarding.request(
                "GET http://a.test/ HTTP/1.1\nA: b\n\(lines)\nHost: a.test\nC: d\n\n"
            )
                == "GET / HTTP/1.1\nA: b\nHost: a.test\nC: d\n\n"
        )
    }

    @Test(arguments: [
        "Host", "host, X", "Content-Length", "content-length, host", "Transfer-Encoding",
        "close, Content-Length", "Host, Content-Length, Transfer-Encoding, Connection",
    ])
    func `naming a framing or routing field in Connection does not remove it from a request`(
        options: String
    ) {
        #expect(
            Forwarding.request(
                "POST http://a.test/ HTTP/1.1\nHost: a.test\nConnection: \(options)\n"
                    + "Content-Length: 5\nA: b\n\nhello"
            )
                == "POST / HTTP/1.1\nHost: a.test\nContent-Length: 5\nA: b\n\n"
        )
        #expect(
            Forwarding.request(
                "POST http://a.test/ HTTP/1.1\nHost: a.test\nConnection: \(options)\n"
                    + "Transfer-Encoding: chunked\nA: b\n\n0\n\n"
            )
                == "POST / HTTP/1.1\nHost: a.test\nTransfer-Encoding: chunked\nA: b\n\n"
        )
    }

    @Test(arguments: [
        ("content-length:  5", "content-length:  5"), ("Content-Length: 0005", "Content-Length: 5"),
        ("content-length:  010", "Content-Length: 10"), ("Content-Length: 00", "Content-Length: 0"),
        ("Content-Length: 0", nil),
        ("TRANSFER-encoding: Chunked", "TRANSFER-encoding: Chunked"),
    ])
    func `a request's framing field keeps its place, and Content-Length loses leading zeros`(
        line: String, sent: String?
    ) {
        #expect(
            Forwarding.request("POST http://a.test/ HTTP/1.1\nA: b\n\(line)\nHost: a.test\n\n")
                == "POST / HTTP/1.1\nA: b\n\(sent ?? line)\nHost: a.test\n\n"
        )
    }

    @Test
    func `a forwarded request is framed by its actual body, not by the client's Content-Length`()
        throws
    {
        let head = try HeadParser.parseRequestHead(
            WireText.bytes("POST /x HTTP/1.1\nHost: a.test\nContent-Length: 5\nA: b\n\n")
        )
        let url = RawURL(scheme: "http", host: "a.test", port: 80, origin: Array("/x".utf8))
        func written(_ body: BodyLength) -> String {
            var output: [UInt8] = []
            HTTP1HeadWriter.write(
                ForwardedRequest(head: head, url: url, body: body), into: &output)
            return WireText.escaped(output)
        }
        let start = "POST /x HTTP/1.1\\r\\nHost: a.test\\r\\n"
        #expect(written(.exactly(7)) == start + "Content-Length: 7\\r\\nA: b\\r\\n\\r\\n")
        #expect(written(.chunked) == start + "Transfer-Encoding: chunked\\r\\nA: b\\r\\n\\r\\n")
        #expect(written(.none) == start + "A: b\\r\\n\\r\\n")
    }

    @Test func `an upgrade is forwarded with a Connection field that names only Upgrade`() {
        let common = "Sec-WebSocket-Key: x\nHost: a.test\n\n"
        #expect(
            Forwarding.request(
                "GET http://a.test/ HTTP/1.1\nConnection: keep-alive, Upgrade\n"
                    + "Upgrade: websocket\n" + common
            )
                == "GET / HTTP/1.1\nConnection: Upgrade\nUpgrade: websocket\n" + common
        )
        #expect(
            Forwarding.request(
                "GET http://a.test/ HTTP/1.1\nupgrade:h2c, websocket, h2\nCONNECTION: upgrade\n"
                    + common
            )
                == "GET / HTTP/1.1\nupgrade: websocket\nCONNECTION: upgrade\n" + common
        )
    }

    @Test
    func `an upgrade is not forwarded if the client uses HTTP/1.0 or the upgrade is not allowed`() {
        let lines = "Host: a.test\nConnection: upgrade\nUpgrade: websocket\n\n"
        let without = "GET / HTTP/1.1\nHost: a.test\n\n"
        #expect(Forwarding.request("GET http://a.test/ HTTP/1.0\n\(lines)") == without)
        var options = ForwardedRequest.Options()
        options.allowsUpgrade = false
        #expect(
            Forwarding.request("GET http://a.test/ HTTP/1.1\n\(lines)", options: options)
                == without
        )
    }

    @Test(arguments: [
        ("TE: trailers\nConnection: TE", "TE: trailers\nConnection: TE"),
        ("Connection: te, close\nte: gzip;q=1, trailers", "Connection: TE\nte: trailers"),
        ("TE: trailers, chunked\nConnection: TE", "TE: trailers\nConnection: TE"),
    ])
    func `a TE field that Connection names is forwarded with only the value trailers`(
        lines: String,
        sent: String
    ) {
        #expect(
            Forwarding.request("GET http://a.test/ HTTP/1.1\nHost: a.test\n\(lines)\n\n")
                == "GET / HTTP/1.1\nHost: a.test\n\(sent)\n\n"
        )
    }

    @Test
    func `Expect 100-continue is forwarded from HTTP/1.1 clients but not from HTTP/1.0 clients`() {
        let lines = "Host: a.test\nExpect: 100-Continue\nContent-Length: 1\n\n"
        #expect(
            Forwarding.request("PUT http://a.test/ HTTP/1.1\n\(lines)")
                == "PUT / HTTP/1.1\n\(lines)"
        )
        #expect(
            Forwarding.request("PUT http://a.test/ HTTP/1.0\n\(lines)")
                == "PUT / HTTP/1.1\nHost: a.test\nContent-Length: 1\n\n"
        )
    }

    @Test
    func `a forwarded request's Via ends with the received version and the proxy's pseudonym`() {
        var options = ForwardedRequest.Options()
        options.viaPseudonym = "proxyd"
        #expect(
            Forwarding.request(
                "GET http://a.test/ HTTP/1.0\nVia: 1.1 x\nHost: a.test\nA: b\n\n",
                options: options
            )
                == "GET / HTTP/1.1\nVia: 1.1 x\nHost: a.test\nA: b\nVia: 1.0 proxyd\n\n"
        )
    }

    @Test func `Max-Forwards is replaced by the given count but never added to a request`() {
        var options = ForwardedRequest.Options()
        options.maxForwards = 4
        let lines = "Host: a.test\nmax-forwards:  5\nA: b\n\n"
        #expect(
            Forwarding.request("TRACE http://a.test/ HTTP/1.1\n\(lines)", options: options)
                == "TRACE / HTTP/1.1\nHost: a.test\nmax-forwards: 4\nA: b\n\n"
        )
        #expect(
            Forwarding.request("TRACE http://a.test/ HTTP/1.1\n\(lines)")
                == "TRACE / HTTP/1.1\n\(lines)"
        )
        #expect(
            Forwarding.request("TRACE http://a.test/ HTTP/1.1\nHost: a.test\n\n", options: options)
                == "TRACE / HTTP/1.1\nHost: a.test\n\n"
        )
    }

    @Test func `the last request on a connection is sent with the close option in Connection`() {
        var options = ForwardedRequest.Options()
        options.closesConnection = true
        #expect(
            Forwarding.request(
                "GET http://a.test/ HTTP/1.1\nHost: a.test\nConnection: keep-alive\nA: b\n\n",
                options: options
            )
                == "GET / HTTP/1.1\nHost: a.test\nConnection: close\nA: b\n\n"
        )
        #expect(
            Forwarding.request("GET http://a.test/ HTTP/1.1\nHost: a.test\n\n", options: options)
                == "GET / HTTP/1.1\nHost: a.test\nConnection: close\n\n"
        )
    }

    @Test func `a request that has been forwarded once is not changed by being forwarded again`() {
        let once = Forwarding.request(
            "POST http://a.test/x HTTP/1.1\nB: c\nHost: a.test\nConnection: Upgrade, TE, q\n"
                + "Upgrade: x, h2c\nTE: trailers\nQ: r\nTransfer-Encoding: chunked\n\n"
        )
        let plain = Receiver.origin(scheme: "http", host: "a.test", port: 80)
        #expect(Forwarding.request(once, via: plain) == once)
    }
}

/// The part of an absolute target behind its authority.
private enum RawURLText {
    static func path(of target: String) -> String {
        let parts = target.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count > 3 ? "/" + parts[3] : "/"
    }
}
