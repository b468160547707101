import ProxydHTTPModel
import ProxydHTTPWire
import Testing

/// Each limit one below, at, and one above.
@Suite struct LimitTests {
    private func verdict(
        _ bytes: [UInt8],
        isResponse: Bool = false,
        limits: WireLimits = WireLimits()
    ) -> String {
        var verdicts: Set<String> = []
        for size in [bytes.count, 97, 1_000] {
            let pieces = Cuts.pieces(bytes, of: size)
            let lines =
                isResponse
                ? Transcript.ofResponses(pieces, limits: limits)
                : Transcript.ofRequests(pieces, limits: limits)
            verdicts.insert(lines.last { $0.hasPrefix("error") } ?? "fine")
        }
        return verdicts.sorted().joined(separator: " or ")
    }

    private func request(target: Int = 1, lines: String = "") -> [UInt8] {
        Array("GET /\(String(repeating: "x", count: target - 1)) HTTP/1.1\r\n\(lines)\r\n".utf8)
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error requestLineTooLong 414")])
    func `a request line longer than 65536 bytes is rejected with 414`(
        excess: Int, expected: String
    ) {
        // `GET `, the target, ` HTTP/1.1`.
        #expect(verdict(request(target: 65_536 - 13 + excess)) == expected)
    }

    @Test func `a target longer than the limit for a whole request line is rejected with 414`() {
        #expect(verdict(request(target: 70_000)) == "error requestLineTooLong 414")
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error methodTooLong 501")])
    func `a method longer than 256 bytes is rejected with 501`(excess: Int, expected: String) {
        let method = String(repeating: "M", count: 256 + excess)
        #expect(verdict(Array("\(method) / HTTP/1.1\r\n\r\n".utf8)) == expected)
    }

    @Test func `a method of one mebibyte without a space is rejected with 501`() {
        let method = [UInt8](repeating: UInt8(ascii: "M"), count: 1 << 20)
        #expect(Transcript.ofRequests([method[...]]) == ["error methodTooLong 501"])
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error headTooLarge")])
    func `a request head larger than 256 KiB is rejected with 431`(excess: Int, expected: String) {
        let frame = request(lines: "A: \r\n").count
        let value = String(repeating: "v", count: 262_144 - frame + excess)
        let bytes = request(lines: "A: \(value)\r\n")
        #expect(bytes.count == 262_144 + excess)
        #expect(verdict(bytes).hasPrefix(expected))
        #expect(expected == "fine" || verdict(bytes).hasSuffix("431"))
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error tooManyFields 431")])
    func `a request with more than 1000 field lines is rejected with 431`(
        excess: Int, expected: String
    ) {
        let lines = String(repeating: "a: b\r\n", count: 1_000 + excess)
        #expect(verdict(request(lines: lines)) == expected)
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error trailersTooLarge 431")])
    func `trailers larger than 64 KiB are rejected with 431`(excess: Int, expected: String) {
        // `A: `, the value, CRLF CRLF.
        let value = String(repeating: "v", count: 65_536 - 7 + excess)
        let bytes =
            request(lines: "Transfer-Encoding: chunked\r\n")
            + Array("0\r\nA: \(value)\r\n\r\n".utf8)
        #expect(verdict(bytes) == expected)
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error badChunkExtension 400")])
    func `a chunk line longer than 4096 bytes is rejected with 400`(excess: Int, expected: String) {
        // The size, `;`, the extension.
        let name = String(repeating: "x", count: 4_096 - 2 + excess)
        let bytes =
            request(lines: "Transfer-Encoding: chunked\r\n")
            + Array("0;\(name)\r\n\r\n".utf8)
        #expect(verdict(bytes) == expected)
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error badChunkSize 400")])
    func `a chunk size of more than 4096 digits is rejected with 400`(excess: Int, expected: String)
    {
        let bytes =
            request(lines: "Transfer-Encoding: chunked\r\n")
            + Array((String(repeating: "0", count: 4_096 + excess) + "\r\n\r\n").utf8)
        #expect(verdict(bytes) == expected)
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error badChunkExtension 400")])
    func `more than 64 KiB of chunk extensions in one message are rejected with 400`(
        excess: Int, expected: String
    ) {
        let line = "1;\(String(repeating: "x", count: 1_023))\r\n.\r\n"
        let last = "1;\(String(repeating: "x", count: 1_023 + excess))\r\n.\r\n"
        let bytes =
            request(lines: "Transfer-Encoding: chunked\r\n")
            + Array((String(repeating: line, count: 63) + last + "0\r\n\r\n").utf8)
        #expect(verdict(bytes) == expected)
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error tooManyInformational 502")])
    func `more than 32 interim responses before a final one are rejected with 502`(
        excess: Int, expected: String
    ) {
        let interim = String(repeating: "HTTP/1.1 100 x\r\n\r\n", count: 32 + excess)
        let bytes = Array("\(interim)HTTP/1.1 204 x\r\n\r\n".utf8)
        #expect(verdict(bytes, isResponse: true) == expected)
    }

    @Test func `a response that exceeds a limit is rejected with 502`() {
        let lines = String(repeating: "a: b\r\n", count: 1_501)
        #expect(
            verdict(Array("HTTP/1.1 200 OK\r\n\(lines)\r\n".utf8), isResponse: true)
                == "error tooManyFields 502"
        )
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error headTooLarge 502")])
    func `a response head larger than 300 KiB is rejected with 502`(excess: Int, expected: String) {
        let frame = "HTTP/1.1 200 OK\r\nA: \r\n\r\n".utf8.count
        let value = String(repeating: "v", count: 307_200 - frame + excess)
        let bytes = Array("HTTP/1.1 200 OK\r\nA: \(value)\r\n\r\n".utf8)
        #expect(verdict(bytes, isResponse: true) == expected)
    }

    @Test(arguments: [(-1, "fine"), (0, "fine"), (1, "error tooManyFields 502")])
    func `a response with more than 1500 field lines is rejected with 502`(
        excess: Int, expected: String
    ) {
        let lines = String(repeating: "a: b\r\n", count: 1_500 + excess)
        let bytes = Array("HTTP/1.1 200 OK\r\n\(lines)\r\n".utf8)
        #expect(verdict(bytes, isResponse: true) == expected)
    }

    @Test func `strict response parsing allows only as many field lines as request parsing`() {
        var limits = WireLimits()
        limits.hasStrictResponses = true
        let lines = String(repeating: "a: b\r\n", count: 1_001)
        let bytes = Array("HTTP/1.1 200 OK\r\n\(lines)\r\n".utf8)
        #expect(
            verdict(bytes, isResponse: true, limits: limits) == "error tooManyFields 502")
    }

    @Test func `the limits of head size and field count can be configured`() {
        var limits = WireLimits()
        limits.headByteCountMax = 24
        limits.fieldCountMax = 0
        #expect(verdict(request(), limits: limits) == "fine")
        #expect(verdict(request(lines: "a: b\r\n"), limits: limits) == "error tooManyFields 431")
        #expect(
            verdict(request(lines: "abcdefghijk"), limits: limits) == "error headTooLarge 431"
        )
    }

    /// Were any byte scanned again with each piece, this would be 3·10¹⁰ steps and never end.
    @Test func `a long head that arrives in single bytes is parsed in linear time`() {
        var limits = WireLimits()
        limits.fieldCountMax = 100_000
        let bytes =
            Array("GET / HTTP/1.1\r\n".utf8)
            + Array(String(repeating: "a:\r\n", count: 65_000).utf8) + [0x0D, 0x0A]
        var decoder = RequestDecoder(limits: limits)
        var fieldCount = 0
        for index in bytes.indices {
            let piece = bytes[index...index]
            var offset = 0
            let decoded = try? decoder.decode(piece.span, from: &offset)
            if case .head(let head, _) = decoded { fieldCount = head.fields.count }
        }
        #expect(fieldCount == 65_000)
    }
}
