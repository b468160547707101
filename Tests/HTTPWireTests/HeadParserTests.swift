import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

@Suite struct HeadParserTests {
    @Test func `parsing the stored bytes of a request head gives an equal head`() throws {
        let bytes = WireText.bytes("POST /x HTTP/1.1\nHost: a\nContent-Length: 5\n\n")
        var decoder = RequestDecoder()
        var offset = 0
        guard case .head(let head, _) = try decoder.decode(bytes.span, from: &offset) else {
            Issue.record("no head")
            return
        }
        #expect(head.bytes == bytes)
        #expect(try HeadParser.parseRequestHead(head.bytes) == head)
    }

    @Test
    func `a repaired response head keeps its original bytes, and parsing them repairs it again`()
        throws
    {
        let bytes = WireText.bytes("HTTP/1.1 200 OK\nA : b\n c\n\n")
        let head = try HeadParser.parseResponseHead(bytes)
        #expect(head.bytes == bytes)
        #expect(head.wasRepaired)
        #expect(head.fields.pairs.map(\.value) == ["b c"])
        var written: [UInt8] = []
        head.fields.write(into: &written)
        #expect(written == Array("A: b c\r\n".utf8))
        #expect(try HeadParser.parseResponseHead(head.bytes) == head)
    }

    @Test func `a response head whose lines end with a bare LF counts as repaired`() throws {
        let head = try HeadParser.parseResponseHead(Array("HTTP/1.1 200 OK\nA: b\n\n".utf8))
        var written: [UInt8] = []
        head.fields.write(into: &written)
        #expect(written == Array("A: b\r\n".utf8))
        #expect(head.wasRepaired)
    }

    @Test(arguments: [
        "", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nA: b\r\n",
        "GET / HTTP/1.1\r\n\r\nx", "\r\nGET / HTTP/1.1\r\n\r\n",
    ])
    func `the head parser rejects bytes that are not exactly one request head`(text: String) {
        #expect(throws: WireError.self) { try HeadParser.parseRequestHead(Array(text.utf8)) }
    }

    @Test func `the head parser does not check framing, so a rejected head can still be shown`()
        throws
    {
        let bytes = WireText.bytes("GET /x HTTP/1.1\nContent-Length: 1\nContent-Length: 2\n\n")
        var decoder = RequestDecoder()
        var offset = 0
        #expect(throws: WireError.self) { try decoder.decode(bytes.span, from: &offset) }
        #expect(decoder.partialHead == bytes)
        #expect(try HeadParser.parseRequestHead(decoder.partialHead).fields.count == 2)
    }

    @Test(arguments: [
        ("GE", nil, nil), ("GET ", "GET", nil), ("GET /x", "GET", nil), ("GET /x ", "GET", "/x"),
        ("GET /x HTTP/1.1\r\nA : b\r\n", "GET", "/x"), ("GET /x y", "GET", "/x"),
        ("\u{16}\u{3}", nil, nil), ("GET  /", "GET", nil),
    ])
    func `method and target of a rejected request head are recovered as far as they are readable`(
        text: String, method: String?, target: String?
    ) {
        let found = HeadParser.salvageRequestLine(Array(text.utf8))
        #expect(found.method?.rawValue == method)
        #expect(found.target.map { String(decoding: $0, as: UTF8.self) } == target)
    }

    @Test func `stored trailers can be parsed again, and incomplete ones are rejected`() throws {
        let fields = try HeadParser.parseTrailers(Array("A: b\r\nC: d\r\n\r\n".utf8))
        #expect(fields.pairs.map(\.name) == ["A", "C"])
        #expect(throws: WireError.self) { try HeadParser.parseTrailers(Array("A: b\r\n".utf8)) }
    }

    @Test(arguments: [1, 3, 17, 1000])
    func `the request decoder keeps the bytes of an unfinished head`(size: Int)
        throws
    {
        let bytes = Array("GET /x HTTP/1.1\r\nHost: a.te".utf8)
        var decoder = RequestDecoder()
        #expect(decoder.isIdle)
        for piece in Cuts.pieces(bytes, of: size) {
            var offset = 0
            guard case .needsMoreInput = try decoder.decode(piece.span, from: &offset) else {
                Issue.record("a head")
                return
            }
        }
        #expect(decoder.partialHead == bytes)
        #expect(!decoder.isIdle)
    }

    @Test func `after an error, the request decoder rejects all further input`() {
        var decoder = RequestDecoder()
        var offset = 0
        let bad = Array("G(T".utf8)
        #expect(throws: WireError.self) { try decoder.decode(bad.span, from: &offset) }
        let good = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        offset = 0
        #expect(throws: WireError.self) { try decoder.decode(good.span, from: &offset) }
        #expect(throws: WireError.self) { try decoder.finish() }
        #expect(offset == 0)
    }
}

@Suite struct FieldValidatorTests {
    // Expectations cannot take spans apart; arrays they can.
    private func isToken(_ bytes: [UInt8]) -> Bool { FieldValidator.isToken(bytes.span) }
    private func isFieldValue(_ bytes: [UInt8]) -> Bool {
        FieldValidator.isFieldValue(bytes.span)
    }
    private func isReason(_ bytes: [UInt8]) -> Bool { FieldValidator.isReason(bytes.span) }
    private func isRequestTarget(_ bytes: [UInt8]) -> Bool {
        FieldValidator.isRequestTarget(bytes.span)
    }

    @Test
    func `a token is valid only if it is not empty and has only characters that RFC 9110 allows`() {
        for byte in UInt8.min...UInt8.max {
            let isExpected =
                "!#$%&'*+-.^_`|~".utf8.contains(byte)
                || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
            #expect(isToken([byte]) == isExpected, "\(byte)")
        }
        #expect(!isToken([]))
        #expect(isToken(Array("X-Long-Name-Of-Some-Kind".utf8)))
        #expect(!isToken(Array("X-Long Name".utf8)))
    }

    @Test
    func `a field value is invalid with control bytes other than tab or with outer white space`() {
        for byte in UInt8.min...UInt8.max {
            let isExpected = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
            let value = Array("abcdefgh".utf8) + [byte] + Array("ijklmnopqrst".utf8)
            #expect(isFieldValue(value) == isExpected, "\(byte)")
            #expect(isReason(value) == isExpected, "\(byte)")
        }
        #expect(isFieldValue([]))
        #expect(!isFieldValue(Array(" a".utf8)))
        #expect(!isFieldValue(Array("a\t".utf8)))
        #expect(!isFieldValue(Array("a\r\nX: y".utf8)))
    }

    @Test
    func `a request target is valid only if it is nonempty and has only visible ASCII characters`()
    {
        for byte in UInt8.min...UInt8.max {
            for length in [0, 3, 8, 20] {
                let target = [UInt8](repeating: UInt8(ascii: "/"), count: length) + [byte]
                let isExpected = (0x21...0x7E).contains(byte)
                #expect(isRequestTarget(target) == isExpected, "\(byte)")
            }
        }
        #expect(!isRequestTarget([]))
    }
}
