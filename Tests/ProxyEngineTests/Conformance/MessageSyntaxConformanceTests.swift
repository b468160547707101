import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// RFC 9112 §2 as seen on the wire: rows 1 to 8 of docs/HTTP-SUPPORT.md.
struct MessageSyntaxConformanceTests {
    /// Every byte a field value may have, valid UTF-8 or not.
    private static let highBytes = WireOutcome.text(Array(0x80...0xFF) + [0xC3, 0x28, 0xFE])

    @Test func `non-ASCII bytes in fields and reason phrases are forwarded and recorded unchanged`()
        throws
    {
        let request = "GET http://h/ HTTP/1.1\r\nHost: h\r\nX: \(Self.highBytes)\r\n\r\n"
        let answer = "HTTP/1.1 204 \(Self.highBytes)\r\nY: \(Self.highBytes)\r\n\r\n"
        let outcome = try Playbook.exchange(request, answer: answer)
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: h\r\nX: \(Self.highBytes)\r\n\r\n")
        #expect(outcome.client == answer)
        #expect(outcome.rows.first?.requestHead == WireOutcome.bytes(request))
        #expect(outcome.rows.first?.responseHead == WireOutcome.bytes(answer))
    }

    @Test(arguments: [
        "GET http://h/a\rb HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET http://h/ HTTP/1.1\rHost: h\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\nX\rY: b\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\nX: a\r\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\n\rGET http://h/2 HTTP/1.1\r\n\r\n",
    ])
    func `a request with a bare CR is rejected with 400`(request: String) throws {
        #expect(try Playbook.exchange(request).isRefused(400))
    }

    @Test(arguments: [
        "HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX\rY: b\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 0\r\n\r\n",
    ])
    func `if a response contains a bare CR, the client gets a 502`(answer: String) throws {
        let outcome = try Playbook.exchange(answer: answer)
        #expect(outcome.status == 502)
        #expect(outcome.serverEndings == [.aborted])
    }

    @Test(arguments: ["5\rhello\r\n0\r\n\r\n", "5;a\rb\r\nhello\r\n0\r\n\r\n"])
    func `a bare CR in a chunk line is rejected and not forwarded`(chunks: String) throws {
        let upload = try Playbook.exchange(
            "POST http://h/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        #expect(upload.status == 400)
        #expect(!upload.server.hasSuffix("0\r\n\r\n"))
        #expect(upload.serverEndings.allSatisfy { $0 == .aborted })
        let download = try Playbook.exchange(
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        #expect(download.client.hasSuffix("chunked\r\n\r\n"))
        #expect(download.rows.first?.state == .failed)
    }

    @Test(arguments: ["\r\n", "\r\n\r\n"])
    func `empty lines before a request are skipped and not forwarded`(lines: String) throws {
        let outcome = try Playbook.exchange(lines + Playbook.plainGet)
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.status == 204)
    }

    @Test(arguments: [" ", "\t", " X: y\r\n", "\tHost: evil\r\n"])
    func `white space before the first field line is rejected in requests and in responses`(
        line: String
    ) throws {
        let request = try Playbook.exchange("GET http://h/ HTTP/1.1\r\n\(line)Host: h\r\n\r\n")
        #expect(request.isRefused(400))
        let response = try Playbook.exchange(
            answer: "HTTP/1.1 200 OK\r\n\(line)Content-Length: 0\r\n\r\n")
        #expect(response.status == 502)
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}", "SSH-2.0-OpenSSH_9.2\r\n",
        "\u{0}\u{0}\u{0}\u{0}", "\u{5}\u{1}\u{0}", "{\"a\":1}\r\n", "EHLO\r\n",
    ])
    func `bytes that are not HTTP get a 400, and the connection is closed`(
        bytes: String
    ) throws {
        #expect(try Playbook.exchange(bytes).isRefused(400))
    }

    @Test(arguments: ["1.0", "1.1", "1.2", "1.9"])
    func `messages are forwarded with the proxy's own HTTP version, whatever the sender's version`(
        version: String
    ) throws {
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/\(version)\r\nHost: h\r\n\r\n",
            answer: "HTTP/\(version) 204 No Content\r\n\r\n")
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.client.hasPrefix("HTTP/1.1 204 No Content\r\n"))
    }

    @Test(arguments: [
        "GET http://h/ HTTP/1.1\nHost: h\r\n\r\n", "GET http://h/ HTTP/1.1\r\nHost: h\n\r\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\n\n", "\nGET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
    ])
    func `a request with a bare LF is rejected with 400`(request: String) throws {
        #expect(try Playbook.exchange(request).isRefused(400))
    }

    @Test func `bare LFs in a response head are forwarded as CRLF`() throws {
        let outcome = try Playbook.exchange(
            answer: "HTTP/1.1 200 OK\nX: a\nContent-Length: 2\n\nok")
        #expect(outcome.client == "HTTP/1.1 200 OK\r\nX: a\r\nContent-Length: 2\r\n\r\nok")
    }
}
