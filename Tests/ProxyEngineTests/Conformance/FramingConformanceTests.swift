import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// Where messages end, as seen on the wire (RFC 9112 §6, §7): rows 54 to 75 of
/// docs/HTTP-SUPPORT.md; the chunked coding has a suite of its own.
struct FramingConformanceTests {
    private func post(_ lines: String, _ body: String = "", version: String = "1.1") -> String {
        "POST http://h/ HTTP/\(version)\r\nHost: h\r\n\(lines)\r\n\(body)"
    }

    private func ok(_ lines: String, _ body: String = "") -> String {
        "HTTP/1.1 200 OK\r\n\(lines)\r\n\(body)"
    }

    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
    ])
    func `Content-Length next to chunked gets a 400 in a request and is removed from a response`(
        lines: String
    ) throws {
        #expect(try Playbook.exchange(post(lines, "0\r\n\r\n")).isRefused(400))
        let outcome = try Playbook.exchange(answer: ok(lines, "0\r\n\r\n"))
        #expect(outcome.client == ok("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"))
        #expect(outcome.serverEndings == [.closed])
    }

    @Test(arguments: ["content-length: x", "Content-Length: 1\r\nContent-Length: 2"])
    func `an invalid Content-Length next to chunked is rejected in requests and in responses`(
        lines: String
    ) throws {
        let lines = "Transfer-Encoding: chunked\r\n\(lines)\r\n"
        #expect(try Playbook.exchange(post(lines, "0\r\n\r\n")).isRefused(400))
        let outcome = try Playbook.exchange(answer: ok(lines, "0\r\n\r\n"))
        #expect(outcome.status == 502)
        #expect(outcome.serverEndings == [.aborted])
    }

    @Test(arguments: [
        ("gzip", 400), ("chunked, gzip", 400), ("identity", 400), ("xchunked", 400),
        ("chunked, identity", 400), ("", 400), (",", 400), ("chunked;a=b", 400),
        ("\"chunked\"", 400), ("chunked chunked", 400), ("chunked, chunked", 400),
        ("\u{B}chunked", 400), (", chunked", 400), ("chunked,", 400), ("chunked, ,", 400),
        ("gzip, chunked", 501), ("x-own, chunked", 501),
    ])
    func `a request with a Transfer-Encoding is rejected unless its only coding is chunked`(
        coding: String, status: Int
    ) throws {
        let request = post("Transfer-Encoding: \(coding)\r\n", "0\r\n\r\n")
        #expect(try Playbook.exchange(request).isRefused(status))
    }

    @Test
    func `a second Transfer-Encoding field with chunked is rejected in requests and in responses`()
        throws
    {
        let twice = "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"
        #expect(try Playbook.exchange(post(twice, "0\r\n\r\n")).isRefused(400))
        #expect(try Playbook.exchange(answer: ok(twice, "0\r\n\r\n")).status == 502)
    }

    @Test
    func `a response whose last transfer coding is not chunked is read until the server closes`()
        throws
    {
        let answer = ok("Transfer-Encoding: gzip\r\n", "5\r\nhello\r\n0\r\n\r\n")
        let outcome = try Playbook.exchange(answer: answer, serverEnds: true)
        // The client is told of the coding, as only it can undo it.
        #expect(
            outcome.client
                == ok(
                    "Transfer-Encoding: gzip\r\nConnection: close\r\n",
                    "5\r\nhello\r\n0\r\n\r\n"))
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.rows.first?.state == .complete)
    }

    @Test func `an HTTP/1.0 client gets a 502 for a response with a gzip transfer coding`() throws {
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.0\r\n\r\n", answer: ok("Transfer-Encoding: gzip\r\n", "x"),
            serverEnds: true)
        #expect(outcome.status == 502)
        #expect(outcome.rows.first?.failure?.kind == .malformedResponse)
    }

    static let invalidLengths = [
        "+5", "-1", "5 5", "0x5", "", "5,6", "5;", "18446744073709551616", "1_0", "5.0", "5e0",
        "\"5\"", "99999999999999999999999999999999", "9223372036854775808", "\u{B2}", "five", "5,",
    ]

    @Test(arguments: invalidLengths)
    func `a request with an invalid Content-Length is rejected with 400`(length: String) throws {
        let request = post("Content-Length: \(length)\r\n", "hello")
        #expect(try Playbook.exchange(request).isRefused(400))
    }

    @Test(arguments: invalidLengths.filter { $0 != "5," })
    func `an invalid Content-Length in a response gives a 502 and aborts the server connection`(
        length: String
    ) throws {
        let outcome = try Playbook.exchange(answer: ok("Content-Length: \(length)\r\n", "hello"))
        #expect(outcome.status == 502)
        #expect(outcome.serverEndings == [.aborted])
    }

    @Test(arguments: ["2, 2", "2,2,2", "2\r\nContent-Length: 2", "2,\t2\r\ncontent-length: 2"])
    func `a repeated Content-Length gets a 400 in a request and is merged into one in a response`(
        value: String
    ) throws {
        let lines = "Content-Length: \(value)\r\n"
        #expect(try Playbook.exchange(post(lines, "hi")).isRefused(400))
        let outcome = try Playbook.exchange(answer: ok(lines, "ok"))
        #expect(outcome.client == ok("Content-Length: 2\r\n", "ok"))
    }

    /// A server that reads a leading zero as the sign of an octal number would see another body.
    @Test(arguments: [("02", "2"), ("0000000000000000002", "2"), ("0", "0"), ("000", "0")])
    func `Content-Length is forwarded without leading zeros, in both directions`(
        written: String, sent: String
    ) throws {
        let body = String(repeating: "x", count: Int(sent) ?? 0)
        let request = try Playbook.exchange(post("Content-Length: \(written)\r\n", body))
        #expect(request.server.hasSuffix("\r\nContent-Length: \(sent)\r\n\r\n\(body)"))
        let response = try Playbook.exchange(answer: ok("Content-Length: \(written)\r\n", body))
        #expect(response.client == ok("Content-Length: \(sent)\r\n", body))
    }

    @Test func `two different Content-Length values are rejected in requests and in responses`()
        throws
    {
        let lines = "Content-Length: 2\r\nContent-Length: 3\r\n"
        #expect(try Playbook.exchange(post(lines, "hi")).isRefused(400))
        #expect(try Playbook.exchange(answer: ok(lines, "ok")).status == 502)
    }

    @Test
    func `the largest signed 64-bit Content-Length is accepted, but 10,000 digits are rejected`()
        throws
    {
        let lines = "Content-Length: 9223372036854775807\r\n"
        let outcome = try Playbook.exchange(post(lines, "hi"), answer: "")
        #expect(outcome.server == "POST / HTTP/1.1\r\nHost: h\r\n\(lines)\r\nhi")
        let digits = String(repeating: "9", count: 10_000)
        let request = post("Content-Length: \(digits)\r\n", "hi")
        #expect(try Playbook.exchange(request).isRefused(400))
    }

    @Test func `chunked is rejected in an HTTP/1.0 request but decoded in an HTTP/1.0 response`()
        throws
    {
        let lines = "Transfer-Encoding: chunked\r\n"
        #expect(try Playbook.exchange(post(lines, "0\r\n\r\n", version: "1.0")).isRefused(400))
        let outcome = try Playbook.exchange(
            answer: "HTTP/1.0 200 OK\r\n\(lines)\r\n0\r\n\r\n")
        #expect(outcome.client == ok(lines, "0\r\n\r\n"))
        #expect(outcome.serverEndings == [.closed])
        let other = "HTTP/1.0 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx"
        #expect(try Playbook.exchange(answer: other).status == 502)
    }

    @Test
    func `an HTTP/1.0 client gets a chunked response unchunked, ended by closing the connection`()
        throws
    {
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.0\r\n\r\n",
            answer: ok("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\nX: y\r\n\r\n"))
        #expect(outcome.client == ok("Connection: close\r\n", "abc"))
        #expect(outcome.clientEnding == .closed)
    }

    @Test(arguments: [
        ("HEAD", "200 OK", "Content-Length: 1000000000\r\n"),
        ("HEAD", "200 OK", "Transfer-Encoding: chunked\r\n"),
        ("GET", "304 Not Modified", "Content-Length: 1000000000\r\n"),
        ("GET", "304 Not Modified", "Transfer-Encoding: chunked\r\n"),
        ("GET", "204 No Content", "Content-Length: 5\r\n"),
        ("GET", "204 No Content", "Transfer-Encoding: chunked\r\n"),
        ("HEAD", "404 Not Found", ""),
    ])
    func `responses that cannot have a body end after the head, and the connection is reused`(
        method: String, status: String, lines: String
    ) throws {
        let (first, second) = try Playbook.play { book in
            book.requests("\(method) http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            book.answers("HTTP/1.1 \(status)\r\n\(lines)\r\n")
            let first = book.outcome
            book.requests(Playbook.plainGet)
            book.answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            return (first, book.outcome)
        }
        let isSaid = !status.hasPrefix("204")
        #expect(first.client == "HTTP/1.1 \(status)\r\n\(isSaid ? lines : "")\r\n")
        #expect(second.client == first.client + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(second.servers.count == 1)
    }

    @Test(arguments: ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"])
    func `framing fields are removed from interim responses`(lines: String) throws {
        let outcome = try Playbook.exchange(
            answer: "HTTP/1.1 103 Early Hints\r\n\(lines)X: y\r\n\r\n" + Playbook.noContent)
        #expect(outcome.client == "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" + Playbook.noContent)
    }

    @Test
    func `a response cut short of its Content-Length is forwarded as received and marked failed`()
        throws
    {
        let answer = ok("Content-Length: 10\r\n", "abc")
        let outcome = try Playbook.exchange(answer: answer, serverEnds: true)
        #expect(outcome.client == answer)
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.rows.map(\.state) == [.failed])
    }

    @Test
    func `a client disconnect before the request is complete aborts the server connection`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests("POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
            book.connects()
            book.clientEnds()
            return book.outcome
        }
        #expect(outcome.server.hasSuffix("\r\n\r\nabc"))
        #expect(outcome.serverEndings == [.aborted])
        #expect(outcome.rows.map(\.state) == [.failed])
    }

    @Test func `bytes after the end of a response are not taken for the next response`() throws {
        let extra = ok("Content-Length: 4\r\n", "evil")
        let outcome = try Playbook.play { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + extra)
            book.requests(Playbook.plainGet)
            if book.connector.isWaitedFor { book.connects() }
            book.answers(Playbook.noContent)
            return book.outcome
        }
        #expect(outcome.client == ok("Content-Length: 2\r\n", "ok") + Playbook.noContent)
        #expect(outcome.servers.count == 2)
        #expect(outcome.serverEndings.first == .closed)
    }

    @Test
    func `an unsolicited response reaches no client and closes the server connection`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers(Playbook.noContent)
            book.answers("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            book.requests(Playbook.plainGet)
            if book.connector.isWaitedFor { book.connects() }
            book.answers(Playbook.noContent)
            return book.outcome
        }
        #expect(outcome.client == Playbook.noContent + Playbook.noContent)
        #expect(outcome.servers.count == 2)
    }

    @Test func `a final response before the end of the request closes both connections`() throws {
        let outcome = try Playbook.play { book in
            book.requests("POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 99\r\n\r\nabc")
            book.connects()
            book.answers("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
            book.requests("GET http://h/smuggled HTTP/1.1\r\nHost: h\r\n\r\n")
            return book.outcome
        }
        #expect(
            outcome.client
                == "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(outcome.clientEnding == .closed)
        #expect(outcome.serverEndings == [.closed])
        #expect(outcome.server.hasSuffix("\r\n\r\nabc"))
    }
}
