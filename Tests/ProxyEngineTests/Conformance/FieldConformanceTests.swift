import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// Field lines as seen on the wire (RFC 9112 §5, RFC 9110 §5): rows 24 to 35 of
/// docs/HTTP-SUPPORT.md.
struct FieldConformanceTests {
    @Test(arguments: ["X : y", "X\t: y", "Host : h", "Content-Length : 0"])
    func `a request with white space between a field name and its colon is rejected with 400`(
        line: String
    ) throws {
        let request = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n"
        #expect(try Playbook.exchange(request).isRefused(400))
    }

    @Test func `white space between a field name and its colon is removed from a response`() throws
    {
        let outcome = try Playbook.exchange(
            answer: "HTTP/1.1 200 OK\r\nX \t: y\r\nContent-Length : 2\r\n\r\nok")
        #expect(outcome.client == "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\r\n\r\nok")
    }

    @Test(arguments: ["X: a\r\n b", "X: a\r\n\tb", "X:\r\n b", "Transfer-Encoding:\r\n chunked"])
    func `a request with a folded field line is rejected with 400`(lines: String) throws {
        let request = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\r\n"
        #expect(try Playbook.exchange(request).isRefused(400))
    }

    @Test func `a folded field line in a response is forwarded as one line, joined by a space`()
        throws
    {
        let answer =
            "HTTP/1.1 200 OK\r\nX: a \t\r\n \t b\r\nContent-Length:\r\n\t2\r\n\r\nok"
        let outcome = try Playbook.exchange(answer: answer)
        #expect(outcome.client == "HTTP/1.1 200 OK\r\nX: a b\r\nContent-Length: 2\r\n\r\nok")
    }

    @Test(arguments: ["\u{0}", "\r", "\n", "\u{1}", "\u{8}", "\u{B}", "\u{1B}", "\u{1F}", "\u{7F}"])
    func `control characters in request fields are rejected; in responses only NUL and CR are`(
        byte: String
    ) throws {
        let request = "GET http://h/ HTTP/1.1\r\nHost: h\r\nX: a\(byte)b\r\n\r\n"
        #expect(try Playbook.exchange(request).isRefused(400))
        guard byte != "\n" else { return }  // a line end in a response
        let response = "HTTP/1.1 200 OK\r\nX: a\(byte)b\r\nContent-Length: 0\r\n\r\n"
        let outcome = try Playbook.exchange(answer: response)
        if ["\u{0}", "\r"].contains(byte) {
            #expect(outcome.status == 502)
        } else {
            #expect(outcome.client == response.replacing(byte, with: " "))
        }
    }

    @Test func `500 unknown fields are forwarded in order and with unchanged case`() throws {
        let lines = (0..<500).map { "x-\($0 % 7 == 0 ? "A" : "a")\($0): \($0)\r\n" }.joined()
        let answer = "HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n"
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.1\r\nHost: h\r\n\(lines)\r\n", answer: answer)
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n")
        #expect(outcome.client == answer)
    }

    @Test
    func `repeated fields of one name are forwarded with order, spelling and number unchanged`()
        throws
    {
        let lines = "A: 1\r\nb: x\r\na: 2\r\nA:3\r\nA:\t4 \r\n"
        let cookies = "Set-Cookie: a=1, b\r\nX: y\r\nset-cookie: b=2\r\nSet-Cookie: c=3\r\n"
        let answer = "HTTP/1.1 200 OK\r\n\(cookies)Content-Length: 0\r\n\r\n"
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.1\r\nHost: h\r\n\(lines)\r\n", answer: answer)
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n")
        #expect(outcome.client == answer)
    }

    @Test
    func `a request head over its size or field count limit gets a 431; one at the limits passes`()
        throws
    {
        let limits = WireLimits()
        let start = "GET http://h/ HTTP/1.1\r\nHost: h\r\n"
        for excess in [0, 1] {
            let many = String(repeating: "a:\r\n", count: limits.fieldCountMax - 1 + excess)
            let fill = limits.headByteCountMax - start.utf8.count - 7 + excess
            let long = "X: " + String(repeating: "a", count: fill) + "\r\n"
            for lines in [many, long] {
                let outcome = try Playbook.exchange(start + lines + "\r\n")
                #expect(outcome.status == (excess == 0 ? 204 : 431))
                #expect(outcome.servers.isEmpty == (excess == 1))
            }
        }
    }

    @Test func `empty list members in Connection and Transfer-Encoding are ignored`() throws {
        let outcome = try Playbook.exchange(
            "GET http://h/ HTTP/1.1\r\nHost: h\r\nConnection: ,, close ,,X-Gone, \r\n"
                + "X-Gone: y\r\n\r\n")
        #expect(outcome.server == "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(outcome.clientEnding == .closed)
        let chunked = try Playbook.exchange(
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: , chunked ,\r\n\r\n0\r\n\r\n")
        #expect(chunked.client.hasSuffix("\r\n\r\n0\r\n\r\n"))
        #expect(chunked.rows.first?.state == .complete)
    }

    @Test
    func `white space around field values has no effect on the value and is forwarded unchanged`()
        throws
    {
        let outcome = try Playbook.exchange(
            "POST http://h/ HTTP/1.1\r\nHost: \t h \t\r\nContent-Length:\t 2 \t\r\n\r\nhi")
        #expect(
            outcome.server
                == "POST / HTTP/1.1\r\nHost: \t h \t\r\nContent-Length:\t 2 \t\r\n\r\nhi")
        #expect(outcome.status == 204)
    }
}
