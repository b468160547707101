import ProxydCivilTime
import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// What is for one connection stays there, what is not goes through (RFC 9110 §7.6 and after):
/// rows 36 to 53 of docs/HTTP-SUPPORT.md.
struct HopByHopConformanceTests {
    private func forwarded(_ lines: String, version: String = "1.1") throws -> String {
        try Playbook.exchange(
            "GET http://h/ HTTP/\(version)\r\nHost: h\r\n\(lines)\r\n"
        ).server
    }

    @Test func `fields named in Connection are removed from requests and responses`() throws {
        let lines =
            "cOnnection: x-A , Keep-Alive\r\nX-a: 1\r\nX-Stays: 2\r\nConnection: X-B\r\n"
            + "x-b: 3\r\nX-A: 4\r\n"
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.1\r\nHost: h\r\n\(lines)\r\n",
            answer: "HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: h\r\nX-Stays: 2\r\n\r\n")
        #expect(outcome.client == "HTTP/1.1 200 OK\r\nX-Stays: 2\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func `fields that a Connection trailer names are removed from the trailers`() throws {
        let body = "0\r\nConnection: X-A\r\nX-A: 1\r\nX-B: 2\r\n\r\n"
        let outcome = try Playbook.exchange(
            "POST http://h/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + body,
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        #expect(outcome.server.hasSuffix("\r\n\r\n0\r\nX-B: 2\r\n\r\n"))
        #expect(outcome.client.hasSuffix("\r\n\r\n0\r\nX-B: 2\r\n\r\n"))
    }

    @Test func `hop-by-hop fields are removed even if Connection does not name them`() throws {
        let lines =
            "Proxy-Connection: keep-alive\r\nKeep-Alive: timeout=5\r\nTE: trailers\r\n"
            + "Upgrade: websocket\r\nHTTP2-Settings: AAMAAABk\r\n"
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.1\r\nHost: h\r\n\(lines)\r\n",
            answer: "HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.client == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func `Host and framing fields are forwarded even if Connection names them`() throws {
        let named = "Connection: Host, Content-Length, Transfer-Encoding, Connection, close\r\n"
        let outcome = try Playbook.exchange(
            "POST http://h/ HTTP/1.1\r\n\(named)Host: h\r\nContent-Length: 2\r\n\r\nhi",
            answer: "HTTP/1.1 200 OK\r\n\(named)Content-Length: 2\r\n\r\nok")
        #expect(outcome.server == "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
        #expect(
            outcome.client
                == "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
    }

    @Test func `Via is added to requests and responses if the option to add it is enabled`() throws
    {
        var configuration = EngineConfiguration()
        #expect(try !forwarded("").contains("Via"))
        configuration.viaPseudonym = "me"
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.0\r\nHost: h\r\nVia: 1.1 a\r\n\r\n",
            configuration: configuration)
        #expect(outcome.server.contains("Via: 1.1 a\r\nVia: 1.0 me\r\n"))
        #expect(outcome.client.contains("Via: 1.1 me\r\n"))
    }

    @Test func `Date is added to final responses that lack it if the option to add it is enabled`()
        throws
    {
        var configuration = EngineConfiguration()
        let hint = "HTTP/1.1 103 Early Hints\r\n\r\n"
        let answer = hint + Playbook.noContent
        #expect(try Playbook.exchange(answer: answer).client == answer)
        configuration.addsDate = true
        let outcome = try Playbook.exchange(answer: answer, configuration: configuration)
        let date = #/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n\r\n/#
        #expect(outcome.client.hasPrefix(hint + "HTTP/1.1 204 No Content\r\nDate: "))
        #expect(outcome.client.matches(of: date).count == 1, "\(outcome.client)")
        let dated = "HTTP/1.1 204 No Content\r\ndate: whenever\r\n\r\n"
        #expect(
            try Playbook.exchange(answer: dated, configuration: configuration).client == dated)
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func `Date is written as IMF-fixdate`(seconds: Int64, text: String) {
        #expect(CivilTime(secondsSinceEpoch: seconds).imfFixdate == text)
    }

    @Test func `Max-Forwards is never added to a forwarded request`() throws {
        for method in ["OPTIONS", "TRACE", "GET"] {
            let outcome = try Playbook.exchange("\(method) http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(outcome.server == "\(method) / HTTP/1.1\r\nHost: h\r\n\r\n")
        }
    }

    @Test
    func `Upgrade is forwarded only if Connection names it, and never from HTTP/1.0 or for h2c`()
        throws
    {
        let plain = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
        #expect(try forwarded("Upgrade: websocket\r\n") == plain)
        #expect(try forwarded(upgrade, version: "1.0") == plain)
        #expect(try forwarded(upgrade) == "GET / HTTP/1.1\r\nHost: h\r\n\(upgrade)\r\n")
        #expect(try forwarded("Connection: Upgrade\r\nUpgrade: h2c\r\n") == plain)
    }

    @Test
    func `a 101 to an Upgrade request is forwarded with its upgrade fields and the bytes after`()
        throws
    {
        let lines = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.1\r\nHost: h\r\n\(lines)\r\n",
            answer: "HTTP/1.1 101 Switching Protocols\r\n\(lines)\r\n\u{81}\u{0}")
        #expect(
            outcome.client == "HTTP/1.1 101 Switching Protocols\r\n\(lines)\r\n\u{81}\u{0}")
    }

    @Test(arguments: ["websocket", "WebSocket", "x/1, WEBSOCKET", "websocket, h2c"])
    func `the protocol in a 101 is compared with the requested protocols regardless of case`(
        asked: String
    ) throws {
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\n"
            + "Connection: Upgrade\r\n\r\n"
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.1\r\nHost: h\r\n"
                + "Upgrade: \(asked)\r\nConnection: Upgrade\r\n\r\n",
            answer: answer)
        #expect(outcome.client == answer)
    }

    @Test func `TE is forwarded only with the value trailers, and only if Connection names it`()
        throws
    {
        let plain = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        #expect(try forwarded("TE: trailers\r\n") == plain)
        #expect(try forwarded("Connection: TE\r\nTE: chunked, gzip\r\n") == plain)
        #expect(
            try forwarded("Connection: TE\r\nTE: chunked, gzip, trailers\r\n")
                == "GET / HTTP/1.1\r\nHost: h\r\nConnection: TE\r\nTE: trailers\r\n\r\n")
    }

    @Test func `Proxy-Authorization is not forwarded, Authorization is forwarded unchanged`() throws
    {
        let authorization = "Authorization: Basic  dTpw\r\nX: y\r\nauthorization: Other a, b\r\n"
        #expect(
            try forwarded("Proxy-Authorization: Basic eDp5\r\n\(authorization)")
                == "GET / HTTP/1.1\r\nHost: h\r\n\(authorization)\r\n")
    }

    @Test(arguments: [401, 407])
    func `WWW-Authenticate and Proxy-Authenticate challenges are forwarded unchanged`(status: Int)
        throws
    {
        let answer =
            "HTTP/1.1 \(status) No\r\nWWW-Authenticate: Basic realm=\"a, b\", Digest  x=y\r\n"
            + "Proxy-Authenticate: Basic realm=\"p\"\r\nwww-authenticate: Negotiate\r\n"
            + "Content-Length: 0\r\n\r\n"
        #expect(try Playbook.exchange(answer: answer).client == answer)
    }

    /// Representation, conditions, ranges and everything else that is between the two ends.
    private static let endToEnd =
        "Allow: GET , ,HEAD\r\nServer: x/1 (y)\r\nETag: W/\"a\"\r\nAccept-Ranges: none\r\n"
        + "Accept-Encoding: br;q=1.0, *;q=0\r\nReferer: HTTP://h/a b\r\nUser-Agent: a  b\r\n"
        + "If-Match: \"a\",\"b\"\r\nIf-None-Match: *\r\nIf-Modified-Since: yesterday\r\n"
        + "If-Unmodified-Since: Sunday, 06-Nov-94 08:49:37 GMT\r\nIf-Range: \"a\"\r\n"
        + "Range: lines=1-2\r\nContent-Range: lines 1-2/*\r\nCache-Control: no-transform\r\n"
        + "Age: 1\r\nExpires: 0\r\nLast-Modified: Sun Nov  6 08:49:37 1994\r\nVary: *\r\n"
        + "Forwarded: for=a\r\nX-Forwarded-For: 1.2.3.4\r\nDNT: 1\r\nCookie: a=b; c\r\n"
        + "Content-Encoding: gzip, x\r\nContent-Type: text/html;charset=\"x\"\r\nPragma: p\r\n"

    @Test func `end-to-end fields are forwarded byte for byte in both directions`() throws {
        #expect(
            try forwarded(Self.endToEnd) == "GET / HTTP/1.1\r\nHost: h\r\n\(Self.endToEnd)\r\n")
        for status in ["200 OK", "206 Partial Content", "412 Precondition Failed", "299 Own"] {
            let answer = "HTTP/1.1 \(status)\r\n\(Self.endToEnd)Content-Length: 0\r\n\r\n"
            #expect(try Playbook.exchange(answer: answer).client == answer)
        }
        let unchanged = "HTTP/1.1 304 Not Modified\r\n\(Self.endToEnd)\r\n"
        #expect(try Playbook.exchange(answer: unchanged).client == unchanged)
    }

    @Test(arguments: ["gzip", "br", "deflate", "zstd", "identity", "x-own"])
    func `content is forwarded unchanged for any Content-Encoding`(coding: String) throws {
        let content = WireOutcome.text(Array(0...255).reversed() + Array(0...255))
        let lines =
            "Content-Encoding: \(coding)\r\nCache-Control: no-transform\r\nContent-Length: 512\r\n"
        let outcome = try Playbook.exchange(
            "POST http://h/ HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\(content)",
            answer: "HTTP/1.1 200 OK\r\n\(lines)\r\n\(content)")
        #expect(outcome.server == "POST / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\(content)")
        #expect(outcome.client == "HTTP/1.1 200 OK\r\n\(lines)\r\n\(content)")
    }

    @Test
    func `inside a CONNECT tunnel, a request for another server gets a 400 and is not forwarded`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests("CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n")
            book.connects()
            book.requests("GET http://other/ HTTP/1.1\r\nHost: other\r\n\r\n")
            return book.outcome
        }
        let established = "HTTP/1.1 200 Connection established\r\n\r\n"
        #expect(outcome.client.hasPrefix(established + "HTTP/1.1 400 "))
        #expect(outcome.server.isEmpty)
    }
}
