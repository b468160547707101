import ProxydParameterCoding
import Testing

/// What bodies of real clients do beyond the grammar.
@Suite struct MultipartQuirkTests {
    private let head = "Content-Disposition: form-data; name=a"

    /// Takes `\n` of a literal for CRLF.
    private func wire(_ text: String) -> [UInt8] {
        text.utf8.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    }

    /// Decodes whole and at every cut, which must agree.
    private func decoded(_ bytes: [UInt8], boundary: String = "B") throws -> [Part] {
        let whole = try parts(bytes, boundary: boundary).parts
        for size in 1..<max(2, bytes.count) {
            let cut = try parts(bytes, boundary: boundary, pieceByteCount: size).parts
            #expect(cut == whole, "pieces of \(size)")
        }
        return whole
    }

    private func disposition(_ parameters: String) throws -> Part? {
        try decoded(wire("--B\nContent-Disposition: form-data; \(parameters)\n\nx\n--B--")).first
    }

    @Test(arguments: ["--B\n", "\n--B\n", "preamble\n\n--B \t\n", "a\n--Bx\n--B\n"])
    func `LF is the line ending of a whole multipart body if its first boundary line ends in LF`(
        start: String
    ) throws {
        let body = start + "\(head)\n\none\r\n--B\rtwo\n\n--B\n\(head)\n\n\n--B--\nrest\n--B\n"
        let expected = [
            Part(name: "a", content: "one\r\n--B\rtwo\n"), Part(name: "a", content: ""),
        ]
        #expect(try decoded(Array(body.utf8)) == expected)
        #expect(try parts(Array(body.utf8), boundary: "B").isComplete)
    }

    @Test func `a multipart body whose lines end in LF may also contain CRLF`() throws {
        let body = "--B\n\(head)\r\n\r\nx\r\n--B\r\n\(head)\n\r\n--B--\r\n"
        let expected = [Part(name: "a", content: "x\r"), Part(name: "a", content: "")]
        #expect(try decoded(Array(body.utf8)) == expected)
    }

    @Test func `a multipart preamble may end in LF although the body uses CRLF`() throws {
        let body = Array("preamble\n".utf8) + wire("--B\n\(head)\n\na\u{A0}b\n--B--")
        #expect(try decoded(body) == [Part(name: "a", content: "a\u{A0}b")])
        let withLineFeed = Array("--B\r\n\(head)\r\n\r\nx\n--B\ny\r\n--B--".utf8)
        #expect(try decoded(withLineFeed) == [Part(name: "a", content: "x\n--B\ny")])
        #expect(throws: MultipartError.self) {
            try decoded(Array("--B\r\n\(head)\n\nx\r\n--B--".utf8))
        }
    }

    @Test
    func `in multipart names, only the percent escapes of quotes and line breaks are decoded`()
        throws
    {
        let part = try disposition(#"name="a%22b%0D%0Ac"; filename="100%25 %0d %2 %.txt%22""#)
        #expect(part?.name == "a\"b\r\nc")
        #expect(part?.filename == "100%25 %0d %2 %.txt\"")
    }

    @Test(arguments: [
        (#"name="a\""#, #"a\"#, nil as String?),
        (#"name="a\"; filename="C:\dir\""#, #"a\"#, #"C:\dir\"#),
        (#"name="a\"; b"; filename="c""#, #"a"; b"#, "c"),
        (#"name="a\"; b=\"c\""; filename="d""#, #"a"; b="c""#, "d"),
        (#"name="a\"b"c\"d""#, #"a"b"c"d"#, nil),
        (#"filename="\"x\""; name="n""#, "n", #""x""#),
        (#"name="a\\b\"c\\"; filename="d""#, #"a\b"c\"#, "d"),
        (#"name="a\\"; filename="\\x""#, #"a\\"#, #"\\x"#),
        (#"name="unclosed"#, "unclosed", nil), (#"name = " a " ;filename= b c ;x"#, " a ", "b c"),
        (
            #"name="n"; filename*=utf-8'en-GB'%22%5C%0d%25%41.txt; filename="x""#, "n",
            "\"\\\r%A.txt"
        ),
    ])
    func `ambiguous quotes and backslashes in Content-Disposition are read as clients mean them`(
        parameters: String,
        name: String,
        filename: String?
    ) throws {
        let part = try disposition(parameters)
        #expect(part?.name == name)
        #expect(part?.filename == filename)
    }

    @Test func `a multipart part without Content-Disposition has no name`() throws {
        let body = wire("--B\nContent-Type: text/plain\n\nx\n--B\n\ny\n--B--")
        #expect(try decoded(body) == [Part(content: "x"), Part(content: "y")])
    }

    @Test func `a multipart body cut off within a part yields the content received so far`()
        throws
    {
        for end in ["", "\n", "\r\n", "\r\n--", "\r\n--C", "\r\n--B x"] {
            let body = Array("--B\r\n\(head)\r\n\r\nx\(end)".utf8)
            #expect(try decoded(body) == [Part(name: "a", content: "x" + end)])
            #expect(try parts(body, boundary: "B").isComplete == false)
        }
        let inHead = try parts(wire("--B\n\(head)\n\nx\n--B\nContent-"), boundary: "B")
        #expect(inHead.parts == [Part(name: "a", content: "x")])
        #expect(inHead.isComplete == false)
    }

    @Test(arguments: [
        "=_?:;(a) 'b'", "----WebKitFormBoundary", "a--", "-", "--", "0123456789+/,.",
        String(repeating: "b", count: 256),
    ])
    func `the multipart decoder accepts boundaries with unusual characters`(boundary: String) throws
    {
        let body = wire("--\(boundary)\n\(head)\n\nx\n--\(boundary) \t\n\n\n--\(boundary)--\n")
        #expect(
            try decoded(body, boundary: boundary) == [
                Part(name: "a", content: "x"), Part(content: ""),
            ])
    }

    @Test(arguments: [
        ("boundary=a=b?c", "a=b?c"), (#"boundary="a b\"c""#, #"a b"c"#),
        ("charset=x; BOUNDARY = (x)/y ; z", "(x)/y"), (#"boundary="a;b"; c=d"#, "a;b"),
    ])
    func `the boundary in Content-Type is parsed in every notation that real clients use`(
        parameters: String,
        boundary: String
    ) {
        let type = MediaType("multipart/form-data; " + parameters)
        #expect(type?.boundary == Array(boundary.utf8))
    }

    @Test func `a multipart header field folded over 5,000 lines is decoded`() throws {
        let folds = String(repeating: "\n\t.", count: 5_000)
        let body = wire("--B\nContent-Disposition: form-data; name=a;\(folds)\n\nx\n--B--")
        let decoded = try parts(
            body, boundary: "B", limits: MultipartLimits(headByteCountMax: 1 << 20))
        #expect(decoded.parts == [Part(name: "a", content: "x")])
    }

    @Test func `100,000 sequences that resemble the boundary are decoded as multipart content`()
        throws
    {
        let content = String(repeating: "\r\n--B-\r\r\n--", count: 100_000)
        let body = Array("--B\r\n\(head)\r\n\r\n\(content)\r\n--B--".utf8)
        let decoded = try parts(body, boundary: "B", pieceByteCount: 4_096)
        #expect(decoded.parts == [Part(name: "a", content: content)])
    }
}
