import ProxydEventLoops
import ProxydHTTPModel
import Testing
import ProxydTransport

@testable import ProxydProxyEngine

/// Requests that are refused, connections that stall, and what is recorded of them.
struct RefusalTests {
    @Test(arguments: [1, .max])
    func `a malformed request gets a 400, closes the connection and is recorded with its bytes`(
        piece: Int
    ) throws {
        let (did, rows) = try Playbook.play(pieceByteCount: piece) { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\nBad Name: x\r\n\r\n")
            return (book.did(), book.sink.rows)
        }
        #expect(did.first?.hasPrefix("client < HTTP/1.1 400 Bad Request⏎") == true)
        #expect(did.last == "client closed")
        #expect(rows.count == 1)
        #expect(rows.first?.status == 400)
        #expect(rows.first?.failure?.origin == .client)
        #expect(rows.first?.malformed?.starts(with: "GET http://h/".utf8) == true)
    }

    @Test func `a request pipelined after a malformed one is not processed`() throws {
        let did = try Playbook.play { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\nGET http://h/2 HTTP/1.1\r\nHost: h\r\n\r\n"
            )
            return book.did()
        }
        #expect(did.count == 2)
        #expect(!did.contains { $0.hasPrefix("connect") })
    }

    @Test func `a request body with an invalid chunk gets a 400 and aborts the server connection`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            book.connects()
            _ = book.did()
            book.clientSends("3\r\nabc\r\nzz\r\n")
            return (book.did(), book.sink.rows)
        }
        #expect(did.contains("server aborted"))
        #expect(did.contains { $0.hasPrefix("client < HTTP/1.1 400 ") })
        #expect(!did.contains { $0.contains("0⏎⏎") && $0.hasPrefix("server") })
        #expect(rows.first?.failure?.kind == .malformedRequest)
    }

    @Test func `a request head that is not complete in time gets a 408`() throws {
        let (did, rows) = try Playbook.play { book in
            book.clientSends("GET http://h/ HT")
            book.passes(seconds: 11)
            return (book.did(), book.sink.rows)
        }
        #expect(did.first?.hasPrefix("client < HTTP/1.1 408 ") == true)
        #expect(rows.first?.failure?.kind == .timedOut)
    }

    @Test func `a client whose address is not allowed is disconnected before its request is read`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.isClientAllowed = { client, _ in client.port != 50_000 }
        let (did, rows) = try Playbook.play(configuration: configuration) { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            return (book.did(), book.sink.rows)
        }
        #expect(did == ["client aborted"])
        #expect(rows.isEmpty)
    }

    @Test func `an idle client connection is closed without a response or a record`() throws {
        let (did, rows) = try Playbook.play { book in
            book.passes(seconds: 121)
            return (book.did(), book.sink.rows)
        }
        #expect(did == ["client closed"])
        #expect(rows.isEmpty)
    }

    @Test(arguments: ["\r\n", "\r\n\r\n\r", "\r"])
    func `empty lines before a request do not start its head timeout or extend the idle timeout`(
        lines: String
    ) throws {
        let (isProlonged, soon, late, rows) = try Playbook.play { book in
            let layer = book.client.delegate as? HTTP1ServerConnection
            let deadline = layer?.deadline
            book.clientSends(lines)
            let isProlonged = deadline == nil || layer?.deadline != deadline
            book.passes(seconds: 11)
            let soon = book.did()
            book.passes(seconds: 121)
            return (isProlonged, soon, book.did(), book.sink.rows)
        }
        #expect(!isProlonged)
        #expect(soon == [])
        #expect(late == ["client closed"])
        #expect(rows.isEmpty)
    }

    @Test
    func `the timeout for a request head starts at its first byte, not at empty lines before it`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends("\r\n")
            book.clientSends("\r\nG")
            book.passes(seconds: 11)
            return book.did()
        }
        #expect(did.first?.hasPrefix("client < HTTP/1.1 408 ") == true)
    }

    @Test func `if a server does not respond in time, the client gets a 504`() throws {
        let (did, rows) = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            _ = book.did()
            book.passes(seconds: 301)
            return (book.did(), book.sink.rows)
        }
        #expect(did.first == "server aborted")
        #expect(did.contains { $0.hasPrefix("client < HTTP/1.1 504 ") })
        #expect(rows.first?.status == 504)
        #expect(rows.first?.failure?.origin == .upstream)
    }

    @Test(arguments: [true, false])
    func `a request head cut off by a client disconnect is recorded as far as it arrived`(
        isReset: Bool
    ) throws {
        let (did, rows) = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHo")
            if isReset { book.clientBreaks() } else { book.clientEnds() }
            return (book.did(), book.sink.rows)
        }
        #expect(did == (isReset ? [] : ["client closed"]))
        #expect(rows.map(\.malformed) == [Array("GET http://h/ HTTP/1.1\r\nHo".utf8)])
        #expect(rows.map(\.failure?.origin) == [.client])
    }

    @Test func `a client disconnect in the middle of a request body aborts the server connection`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends("POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab")
            book.connects()
            _ = book.did()
            book.clientEnds()
            return (book.did(), book.sink.rows)
        }
        #expect(did == ["server aborted", "client aborted"])
        #expect(rows.first?.failure?.origin == .client)
        #expect(rows.first?.requestBody == Array("ab".utf8))
    }

    @Test(arguments: [
        ("", "Upgrade: x\r\n"),
        ("Connection: Upgrade\r\nUpgrade: websocket\r\n", "Upgrade: other\r\n"),
        ("Connection: Upgrade\r\nUpgrade: websocket\r\n", ""),
        ("Connection: Upgrade\r\nUpgrade: websocket\r\n", "Upgrade: websocket, other\r\n"),
        ("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n", "Upgrade: h2c\r\n"),
        ("Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n", "Upgrade: H2C\r\n"),
    ])
    func `if a 101 does not match the requested Upgrade, the client gets a 502`(
        asked: String, answered: String
    ) throws {
        let did = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\(asked)\r\n")
            book.connects()
            _ = book.did()
            book.serverSends(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n\(answered)\r\n")
            return book.did()
        }
        #expect(did.contains { $0.hasPrefix("client < HTTP/1.1 502 ") }, "\(did)")
    }

    @Test func `a half-closed client is disconnected if no response begins within about a second`()
        throws
    {
        let (soon, late) = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.clientEnds()
            book.connects()
            _ = book.did()
            book.passes(milliseconds: 600)
            let soon = book.did()
            book.passes(milliseconds: 700)
            return (soon, book.did())
        }
        #expect(soon.isEmpty)
        #expect(late == ["server aborted", "client aborted"])
    }

    @Test func `the proxy's own page is served at proxyd.local and at the proxy's own address`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends("GET http://proxyd.local/ HTTP/1.1\r\nHost: proxyd.local\r\n\r\n")
            book.clientSends("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n")
            return (book.did(), book.sink.rows)
        }
        #expect(did.first?.contains("HTTP/1.1 200 OK") == true)
        #expect(did.first?.contains("HTTP/1.1 404 Not Found") == true)
        #expect(rows.isEmpty)
    }

    @Test(arguments: [
        ("/", "Host: evil.test:8080\r\n"), ("/ca.pem", "Host: evil.test\r\n"),
        ("/", "Host: 127.0.0.1.evil.test\r\n"), ("/", "Host: localhost.evil.test:8080\r\n"),
        ("/", "Host: 127.0.0.1:8080\r\nOrigin: null\r\n"),
        ("/", "Host: 127.0.0.1:8080\r\nOrigin: http://evil.test\r\n"),
        ("/ca.der", "Host: proxyd.local\r\nOrigin: https://proxyd.local\r\n"),
        ("http://proxyd.local/", "Host: proxyd.local\r\nOrigin: http://evil.test\r\n"),
        ("/", "Host: [::1]:8080\r\nOrigin: http://[::1]:8080\r\nOrigin: http://evil\r\n"),
    ])
    func `requests for the proxy's page with a foreign Host or Origin are rejected with 403`(
        target: String, lines: String
    ) throws {
        let outcome = try Playbook.exchange("GET \(target) HTTP/1.1\r\n\(lines)\r\n")
        #expect(outcome.isRefused(403))
        #expect(!outcome.client.contains("AB:CD"))
    }

    @Test(arguments: [
        "Host: 127.0.0.1:8080\r\n", "Host: [::1]:8080\r\n", "Host: LOCALHOST:8080\r\n",
        "Host: proxyd.local\r\nOrigin: http://proxyd.local\r\n", "Host: ProxyD.local.\r\n",
    ])
    func `the proxy's page is shown for localhost, loopback addresses and proxyd.local`(
        lines: String
    ) throws {
        let outcome = try Playbook.exchange("GET / HTTP/1.1\r\n\(lines)\r\n")
        #expect(outcome.status == 200)
        #expect(outcome.client.contains("AB:CD"))
    }

    @Test(arguments: [
        "GET http://h/<script> HTTP/1.1\r\nHost: <script>\r\n\r\n",
        "GET http://<script>/ HTTP/1.1\r\nHost: h\r\n\r\n",
        "<script> / HTTP/1.1\r\n\r\n", "GET /<script> HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://h/<script> HTTP/1.1\r\nHost: h\r\n<script>: x\r\n\r\n",
        "CONNECT <script>:1 HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: <script>\r\n\r\n",
        "GET http://h/<script> HTTP/1.1\r\nHost: h\r\n\r\n",
    ])
    func `the proxy's error responses are plain text and repeat nothing from the request`(
        request: String
    ) throws {
        let outcome = try Playbook.exchange(
            request, answer: "HTTP/1.1 200 <script>\r\n<script>: \u{0}\r\n\r\n")
        #expect((400...599).contains(outcome.status ?? 0))
        #expect(!outcome.client.contains("<"))
        #expect(outcome.client.contains("Content-Type: text/plain; charset=utf-8\r\n"))
        #expect(outcome.client.contains("X-Content-Type-Options: nosniff\r\n"))
    }

    @Test
    func `an event loop that runs out of file descriptors closes its own idle connections first`()
        throws
    {
        let did = try Playbook.play { book in
            book.proxy.transport.onExhausted = { book.transcript.note("others asked") }
            book.clientSends("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")
            book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            book.clientSends("GET http://b/ HTTP/1.1\r\nHost: b\r\n\r\n")
            _ = book.did()
            book.connectFails(.overloaded, "too many open files")
            let first = book.did()
            book.connectFails(.overloaded, "too many open files")
            return [first, book.did()]
        }
        #expect(did == [["server aborted", "connect b:80"], ["others asked"]])
    }

    @Test
    func `if a CONNECT runs out of file descriptors, closing an idle connection lets it succeed`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")
            book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            book.clientSends("CONNECT b:7 HTTP/1.1\r\nHost: b:7\r\n\r\n")
            book.connectFails(.overloaded, "too many open files")
            _ = book.did()
            book.connects()
            return book.did()
        }
        #expect(did == ["client < HTTP/1.1 200 Connection established⏎⏎"])
    }
}

/// Max-Forwards counts the proxies of TRACE and OPTIONS, and nothing else.
struct MaxForwardsTests {
    @Test(
        arguments: [
            ("TRACE", "0", nil), ("OPTIONS", "0", nil), ("TRACE", "5", "4"), ("OPTIONS", "1", "0"),
            ("GET", "0", "0"), ("TRACE", "x", "x"),
            ("TRACE", "99999999999999999999999", "18446744073709551614"),
        ] as [(String, String, String?)])
    func `Max-Forwards of TRACE and OPTIONS is decremented; at zero the proxy responds itself`(
        method: String, sent: String, forwarded: String?
    ) throws {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(
                "\(method) http://h/ HTTP/1.1\r\nHost: h\r\nCookie: secret\r\n"
                    + "Max-Forwards: \(sent)\r\n\r\n")
            if forwarded != nil { book.connects() }
            return (book.did(), book.sink.rows)
        }
        if let forwarded {
            #expect(did.contains { $0.contains("Max-Forwards: \(forwarded)⏎") }, "\(did)")
        } else {
            #expect(did.first?.hasPrefix("client < HTTP/1.1 200 OK⏎") == true)
            #expect(did.first?.contains("secret") == false)
            #expect(rows.map(\.state) == [.complete])
        }
    }

    @Test func `the proxy's own response to TRACE is recorded as delivered`() throws {
        let rows = try Playbook.play { book in
            book.clientSends("TRACE http://h/ HTTP/1.1\r\nHost: h\r\nMax-Forwards: 0\r\n\r\n")
            return book.sink.rows
        }
        let timeline = try #require(rows.first?.timeline)
        #expect(timeline[.delivered] != nil)
        #expect(timeline[.delivered] == timeline[.ended])
    }
}
