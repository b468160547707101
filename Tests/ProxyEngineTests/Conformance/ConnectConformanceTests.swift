import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// CONNECT as seen on the wire (RFC 9110 §9.3.6): rows 19 to 23 of docs/HTTP-SUPPORT.md.
struct ConnectConformanceTests {
    @Test(arguments: [
        "h", "h:", ":443", ":", "h:65536", "h:0", "http://h:443", "u@h:1", "h:1/", "h:1?q", "/",
        "*",
        "::1:443", "[::1]", "[::1]:", "[::1:443", "h:443:443", "h: 443", "h:+443", "h:0x1bb",
    ])
    func `a CONNECT target that is not just a host and a port is rejected with 400`(target: String)
        throws
    {
        #expect(
            try Playbook.exchange("CONNECT \(target) HTTP/1.1\r\nHost: h\r\n\r\n").isRefused(400))
    }

    @Test(arguments: [("h:443", "h:443"), ("[::1]:8443", "::1:8443"), ("H.test.:1", "H.test.:1")])
    func `the proxy connects to the host and port of a valid CONNECT target`(
        target: String, connected: String
    ) throws {
        let did = try Playbook.play { book in
            book.requests("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
            return book.did()
        }
        #expect(did == ["connect \(connected)"])
    }

    @Test(arguments: [
        "CONNECT bad HTTP/1.1\r\nHost: h\r\n\r\n", "CONNECT h:443 HTTP/1.1\r\n\r\n",
        "CONNECT h:443 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n",
        "CONNECT h:443 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
        "CONNECT h:25 HTTP/1.1\r\nHost: h\r\n\r\n",
    ])
    func `a request pipelined after a refused CONNECT is not processed`(connect: String) throws {
        var configuration = EngineConfiguration()
        configuration.isConnectPortAllowed = { $0 != 25 }
        let outcome = try Playbook.exchange(
            connect + "GET http://h/x HTTP/1.1\r\nHost: h\r\n\r\n", configuration: configuration)
        #expect(outcome.responseCount == 1)
        #expect((400..<500).contains(outcome.status ?? 0))
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.servers.isEmpty)
        #expect(outcome.rows.count == 1)
    }

    @Test
    func `a request pipelined after a CONNECT whose server cannot be reached is not processed`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests(
                "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n"
                    + "GET http://h/x HTTP/1.1\r\nHost: h\r\n\r\n"
            )
            book.connectFails(.connectionRefused, "refused")
            return book.outcome
        }
        #expect(outcome.isRefused(502))
    }

    @Test(arguments: ["\u{1}\u{2}", "EHLO x\r\n"])
    func `the 200 response to CONNECT has no fields, and bytes after it belong to the tunnel`(
        early: String
    ) throws {
        let outcome = try Playbook.play { book in
            book.requests("CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n" + early)
            book.connects()
            book.passes(seconds: 1)
            book.answers("\u{FF}\u{0}")
            return book.outcome
        }
        #expect(outcome.client == "HTTP/1.1 200 Connection established\r\n\r\n\u{FF}\u{0}")
        #expect(outcome.server == early)
    }

    @Test
    func `a tunnel delivers bytes sent before a half-close, and ends once both sides have closed`()
        throws
    {
        let (open, closed) = try Playbook.play { book in
            book.requests("CONNECT h:7 HTTP/1.1\r\nHost: h:7\r\n\r\n\u{1}\u{2}")
            book.connects()
            book.requests("last")
            book.clientEnds()
            book.answers("still")
            let open = book.outcome
            book.serverEnds()
            return (open, book.outcome)
        }
        #expect(open.server == "\u{1}\u{2}last")
        #expect(open.client.hasSuffix("still"))
        #expect(open.clientEnding == nil && open.serverEndings == [nil])
        #expect(closed.clientEnding == .closed && closed.serverEndings == [.closed])
    }
}
