import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// Interim responses and the life of connections, as seen on the wire (RFC 9110 §10.1.1, §15.2,
/// RFC 9112 §9): rows 76 to 92 of docs/HTTP-SUPPORT.md.
struct ConnectionConformanceTests {
    private func get(_ path: String, lines: String = "") -> String {
        "GET http://h\(path) HTTP/1.1\r\nHost: h\r\n\(lines)\r\n"
    }

    @Test func `all interim responses are forwarded and recorded in order`() throws {
        let hints = (0..<5).map { "HTTP/1.1 103 Early Hints\r\nLink: <\($0)>\r\n\r\n" }.joined()
        let answer =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n\(hints)"
            + "HTTP/1.1 199 Own\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let outcome = try Playbook.exchange(answer: answer)
        #expect(outcome.client == answer)
        #expect(outcome.rows.first?.informational == [100, 102, 103, 103, 103, 103, 103, 199])
    }

    @Test func `an HTTP/1.0 client gets the final response but no interim responses`() throws {
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.0\r\n\r\n",
            answer: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n" + Playbook.noContent)
        #expect(outcome.client.hasPrefix("HTTP/1.1 204 No Content\r\n"))
        #expect(outcome.responseCount == 1)
    }

    @Test func `a request head with Expect 100-continue is forwarded before its body arrives`()
        throws
    {
        let head =
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        let (before, after) = try Playbook.play { book in
            book.requests(head.replacing("POST /", with: "POST http://h/"))
            book.connects()
            let before = book.outcome
            book.answers("HTTP/1.1 100 Continue\r\n\r\n")
            book.requests("hi")
            book.answers(Playbook.noContent)
            return (before, book.outcome)
        }
        #expect(before.server == head && before.client.isEmpty)
        #expect(after.server == head + "hi")
        #expect(after.client == "HTTP/1.1 100 Continue\r\n\r\n" + Playbook.noContent)
    }

    @Test func `the Expect field of an HTTP/1.0 request is ignored`() throws {
        let outcome = try Playbook.exchange(
            "POST http://h/ HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
            answer: "HTTP/1.1 100 Continue\r\n\r\n" + Playbook.noContent)
        #expect(outcome.server == "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
        #expect(outcome.responseCount == 1)
    }

    @Test func `client and server connections are both kept alive for further requests`()
        throws
    {
        let outcome = try Playbook.play { book in
            for path in ["/1", "/2", "/3"] {
                book.requests(get(path))
                if book.connector.isWaitedFor { book.connects() }
                book.answers(Playbook.noContent)
            }
            return book.outcome
        }
        #expect(outcome.client == String(repeating: Playbook.noContent, count: 3))
        #expect(outcome.clientEnding == nil)
        #expect(outcome.servers.count == 1 && outcome.serverEndings == [nil])
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n", "Proxy-Connection: keep-alive\r\n"])
    func `the connection of an HTTP/1.0 client is closed after the response, even with keep-alive`(
        lines: String
    ) throws {
        let outcome = try Playbook.exchange("GET http://h/ HTTP/1.0\r\n\(lines)\r\n")
        #expect(outcome.client == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        #expect(outcome.clientEnding == .closed)
    }

    @Test(arguments: ["close", "CLOSE", "x, close"])
    func `a request pipelined after a request with Connection: close is not processed`(
        option: String
    )
        throws
    {
        let outcome = try Playbook.exchange(
            get("/1", lines: "Connection: \(option)\r\n") + get("/2"))
        #expect(outcome.server == "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.client == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.rows.count == 1)
    }

    @Test func `a server connection whose response had Connection: close is not reused`() throws {
        let outcome = try Playbook.play { book in
            book.requests(get("/1"))
            book.connects()
            book.answers("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            book.requests(get("/2"))
            book.connects()
            book.answers(Playbook.noContent)
            return book.outcome
        }
        #expect(outcome.servers.count == 2)
        #expect(outcome.serverEndings.first == .closed)
        #expect(outcome.client == Playbook.noContent + Playbook.noContent)
    }

    @Test(arguments: [1, .max])
    func `50 pipelined requests are forwarded and answered in order`(piece: Int) throws {
        let outcome = try Playbook.play(pieceByteCount: piece) { book in
            book.requests((0..<50).map { get("/\($0)") }.joined())
            book.connects()
            for number in 0..<50 {
                let text = String(number)
                book.answers(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
            return book.outcome
        }
        let requests = (0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }
        #expect(outcome.server == requests.joined())
        let bodies = outcome.client.split(separator: "\r\n\r\n").dropFirst().map {
            $0.prefix { $0.isNumber }
        }
        #expect(bodies.map(String.init) == (0..<50).map(String.init))
    }

    @Test(arguments: ["POST", "PATCH", "FOO"])
    func `a non-idempotent request is not repeated when its kept-alive connection closes`(
        method: String
    ) throws {
        let outcome = try Playbook.play { book in
            book.requests(get("/1"))
            book.connects()
            book.answers(Playbook.noContent)
            book.requests("\(method) http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
            book.serverEnds()
            return book.outcome
        }
        #expect(outcome.servers.count == 1)
        #expect(outcome.server.ranges(of: "\(method) /").count == 1)
        // The client finds its connection closed, and decides for itself.
        #expect(outcome.responseCount == 1 && outcome.clientEnding == .closed)
    }

    @Test func `an idempotent request is repeated once when its kept-alive connection was stale`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests(get("/1"))
            book.connects()
            book.answers(Playbook.noContent)
            book.requests(get("/2"))
            book.serverEnds()
            book.connects()
            book.serverEnds()
            return book.outcome
        }
        #expect(outcome.servers.count == 2)
        #expect(outcome.servers.last == "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n")
        // The second connection was new: its end is the server's answer.
        #expect(outcome.client.contains("HTTP/1.1 502 "))
    }

    @Test
    func `if the client or the server disconnects, the other connection is closed immediately`()
        throws
    {
        let gone = try Playbook.play { book in
            book.requests("POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab")
            book.connects()
            book.clientBreaks()
            return book.outcome
        }
        #expect(gone.serverEndings == [.aborted])
        let broken = try Playbook.play { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")
            book.serverBreaks()
            return book.outcome
        }
        #expect(broken.clientEnding == .closed)
        #expect(broken.client.hasSuffix("\r\n\r\nab"))
    }

    @Test(arguments: [true, false])
    func `a body delimited by the end of a TLS connection is complete only after close_notify`(
        isClean: Bool
    ) throws {
        let outcome = try Playbook.play { book in
            book.requests("GET https://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            book.answers("HTTP/1.1 200 OK\r\n\r\nabc")
            book.serverEnds(isClean: isClean)
            return book.outcome
        }
        #expect(outcome.client == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
        #expect(outcome.clientEnding == (isClean ? .closed : .aborted))
        #expect(outcome.rows.map(\.state) == [isClean ? .complete : .failed])
    }

    private static let expecting =
        "PUT http://h/x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    private static let repeated = "PUT http://h/x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n"
    private static let failed = "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno"

    @Test
    func `after a 417, the client may repeat the request without Expect on the same connection`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests(Self.expecting)
            book.connects()
            book.answers(Self.failed)
            book.requests(Self.repeated + "hi")
            book.connects()
            book.answers(Playbook.noContent)
            return book.outcome
        }
        #expect(outcome.client == Self.failed + Playbook.noContent)
        #expect(outcome.clientEnding == nil)
        #expect(
            outcome.servers.last == "PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
        #expect(outcome.rows.map(\.status) == [417, 204])
        #expect(outcome.rows.map(\.state) == [.complete, .complete])
    }

    /// Go sends the body where the connection is kept, and its content is no request.
    @Test(arguments: [
        "hi", "GET http://other/ HTTP/1.1\r\nHost: other\r\n\r\n", "\r\n\r\n",
        "PUT http://h/x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nX: y\r\n\r\nhi",
        "PUT http://h/x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nhi!",
        "PUT http://h/y HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi",
        "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n",
    ])
    func `after a 417, bytes that do not repeat the request are ignored, and the connection ends`(
        rest: String
    ) throws {
        let outcome = try Playbook.play { book in
            book.requests(Self.expecting)
            book.connects()
            book.answers(Self.failed)
            book.requests(rest)
            book.clientEnds()
            return book.outcome
        }
        #expect(outcome.client == Self.failed)
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.servers.count == 1)
        #expect(outcome.rows.count == 1)
    }

    /// One byte tells that it is not the request's beginning; a body has no end that could.
    @Test(arguments: ["hi", "PUT http://h/xy"])
    func `after a 417, the first byte that differs from the retried request closes the connection`(
        rest: String
    ) throws {
        let outcome = try Playbook.play { book in
            book.requests(Self.expecting)
            book.connects()
            book.answers(Self.failed)
            book.requests(rest)
            return book.outcome
        }
        #expect(outcome.client == Self.failed)
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.rows.count == 1)
    }

    @Test(arguments: [
        ("h", "", failed), ("", "HTTP/1.1 100 Continue\r\n\r\n", failed),
        ("", "", "HTTP/1.1 413 x\r\nContent-Length: 0\r\n\r\n"),
        ("", "", "HTTP/1.1 401 x\r\nContent-Length: 0\r\n\r\n"),
        ("", "", "HTTP/1.1 417 x\r\n\r\n"),
    ])
    func `without the body of an Expect request, only an immediate 417 keeps the connection open`(
        body: String, interim: String, answer: String
    ) throws {
        let outcome = try Playbook.play { book in
            book.requests(Self.expecting)
            book.connects()
            if !interim.isEmpty { book.answers(interim) }
            book.requests(body)
            book.answers(answer)
            if !answer.contains("Content-Length") { book.serverEnds() }
            return book.outcome
        }
        #expect(outcome.client.contains("Connection: close\r\n"))
        #expect(outcome.clientEnding == .closed)
    }
}
