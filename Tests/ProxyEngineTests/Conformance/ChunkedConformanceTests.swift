import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// The chunked coding as seen on the wire (RFC 9112 §7): rows 54, 63 and 69 to 73 of
/// docs/HTTP-SUPPORT.md.
struct ChunkedConformanceTests {
    private static let upload =
        "POST http://h/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let download = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test func `chunked bodies are forwarded chunked and recorded decoded, in both directions`()
        throws
    {
        let body = "3\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n"
        let outcome = try Playbook.exchange(Self.upload + body, answer: Self.download + body)
        let written = "3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n"
        // What came while no server connection stood goes as one chunk.
        #expect(outcome.server.hasSuffix("\r\n\r\nd\r\nabc0123456789\r\n0\r\n\r\n"))
        #expect(outcome.client == Self.download + written)
        #expect(outcome.rows.first?.requestBody == WireOutcome.bytes("abc0123456789"))
        #expect(outcome.rows.first?.responseBody == WireOutcome.bytes("abc0123456789"))
    }

    @Test(arguments: [
        "5;ext\r\nhello\r\n0\r\n\r\n", "5;a=b;c=\"d;e\"\r\nhello\r\n0;last\r\n\r\n",
        "5 ; a\r\nhello\r\n0\r\n\r\n", "00005\r\nhello\r\n000\r\n\r\n",
    ])
    func `chunk extensions and leading zeros of a chunk size are accepted and not forwarded`(
        body: String
    ) throws {
        let outcome = try Playbook.exchange(Self.upload + body, answer: Self.download + body)
        #expect(outcome.server.hasSuffix("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
        #expect(outcome.client == Self.download + "5\r\nhello\r\n0\r\n\r\n")
    }

    @Test func `a request with a chunk extension of 128 KiB is rejected with 400`() throws {
        let long = "5;" + String(repeating: "a", count: 1 << 17) + "\r\nhello\r\n0\r\n\r\n"
        let outcome = try Playbook.exchange(Self.upload + long, answer: "")
        #expect(outcome.status == 400)
        #expect(!outcome.server.hasSuffix("0\r\n\r\n"))
    }

    @Test(arguments: [
        "8000000000000000", "ffffffffffffffff", "10000000000000000", "7fffffffffffffffff",
        String(repeating: "f", count: 10_000), "-5", "+5", "0x5", "5h", " 5", "", "g", "5_0",
    ])
    func `an invalid or too large chunk size is rejected in requests and in responses`(size: String)
        throws
    {
        let body = "\(size)\r\nhello\r\n0\r\n\r\n"
        let outcome = try Playbook.exchange(Self.upload + body, answer: "")
        #expect(outcome.status == 400)
        #expect(outcome.server.isEmpty || outcome.server.hasSuffix("chunked\r\n\r\n"))
        let answered = try Playbook.exchange(answer: Self.download + body)
        #expect(answered.client == Self.download)
        #expect(answered.rows.first?.state == .failed)
    }

    @Test(arguments: [
        "5\nhello\r\n0\r\n\r\n", "5\rhello\r\n0\r\n\r\n", "5\r\rhello\r\n0\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r0\r\n\r\n", "5\r\nhelloXX0\r\n\r\n",
        "5\r\nhello\r\n0\n\r\n", "5\r\nhello0\r\n\r\n",
        "5\r\nhello!\r\n0\r\n\r\n", "5;a\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n\r\n0\r\n\r\n",
    ])
    func `chunk lines must end with CRLF, except that a bare LF is accepted in responses`(
        body: String
    ) throws {
        let outcome = try Playbook.exchange(Self.upload + body, answer: "")
        #expect(outcome.status == 400)
        #expect(!outcome.server.hasSuffix("0\r\n\r\n"))
        let answered = try Playbook.exchange(answer: Self.download + body)
        if body.replacing("\r\n", with: "").unicodeScalars.contains("\n") {
            #expect(answered.client == Self.download + "5\r\nhello\r\n0\r\n\r\n")
            #expect(answered.serverEndings == [.closed])
            return
        }
        #expect(answered.rows.first?.state == .failed, "\(answered.client)")
        #expect(!answered.client.hasSuffix("0\r\n\r\n"))
        #expect(answered.clientEnding != nil)
    }

    @Test(arguments: ["0\r\n\n", "0\r\nX: y\n\r\n", "0\r\nX: y\r\n\n"])
    func `a bare line feed in request trailers is rejected`(body: String) throws {
        let outcome = try Playbook.exchange(Self.upload + body, answer: "")
        #expect(outcome.status == 400)
        #expect(!outcome.server.hasSuffix("\r\n\r\n\r\n"))
    }

    @Test func `trailers are forwarded as trailers, except for framing and routing fields`() throws
    {
        let body =
            "0\r\nContent-Length: 5\r\nHost: evil\r\nTransfer-Encoding: x\r\nSet-Cookie: a=b\r\n"
            + "Digest: y\r\n\r\n"
        let kept = "0\r\nSet-Cookie: a=b\r\nDigest: y\r\n\r\n"
        let outcome = try Playbook.exchange(Self.upload + body, answer: Self.download + body)
        #expect(outcome.server.hasSuffix("chunked\r\n\r\n" + kept))
        #expect(outcome.client == Self.download + kept)
        #expect(outcome.rows.first?.responseTrailers?.lines.count == 5)
    }

    @Test(arguments: [
        "5\r\nhel", "5\r\nhello\r\n", "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0\r\nX: y\r\n", "5",
        "5\r\nhello\r\nzz\r\n",
    ])
    func `a truncated chunked body is never forwarded with a final zero-size chunk`(body: String)
        throws
    {
        let outcome = try Playbook.exchange(answer: Self.download + body, serverEnds: true)
        #expect(!outcome.client.contains("0\r\n\r\n"))
        #expect(outcome.clientEnding != nil)
        #expect(outcome.rows.map(\.state) == [.failed])
        let upload = try Playbook.play { book in
            book.requests(Self.upload + body)
            book.connects()
            book.clientEnds()
            return book.outcome
        }
        #expect(!upload.server.contains("0\r\n\r\n"))
        #expect(upload.rows.map(\.state) == [.failed])
    }
}
