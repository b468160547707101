import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// One part as a test writes it down.
struct Part: Equatable {
    var name: String?
    var filename: String?
    var content: String
}

/// Decodes a body fed in pieces of a size; nil for a body that ends in an error.
func parts(
    _ bytes: [UInt8],
    boundary: String,
    pieceByteCount: Int = .max,
    limits: MultipartLimits = MultipartLimits()
) throws(MultipartError) -> (parts: [Part], isComplete: Bool) {
    var decoder = try MultipartDecoder(boundary: Array(boundary.utf8), limits: limits)
    var events: [MultipartEvent] = []
    var offset = 0
    while offset < bytes.count {
        let end = min(bytes.count, offset + min(pieceByteCount, bytes.count))
        try decoder.receive(bytes.span.extracting(offset..<end), into: &events)
        offset = end
    }
    decoder.finish(into: &events)
    var parts: [Part] = []
    var content: [UInt8] = []
    var heads: [MultipartPartHead] = []
    var isComplete = false
    for event in events {
        switch event {
        case .part(let head):
            heads.append(head)
            content = []
        case .data(let data):
            content += data
        case .partEnd:
            guard let head = heads.last else { continue }
            let text = String(decoding: head.transferEncoding.decoded(content), as: UTF8.self)
            parts.append(Part(name: head.name, filename: head.filename, content: text))
        case .end(let complete):
            isComplete = complete
        }
    }
    return (parts, isComplete)
}

@Suite struct MultipartDecoderTests {
    /// Takes `\n` of a literal for CRLF.
    private func wire(_ text: String) -> [UInt8] {
        text.utf8.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    }

    private func decoded(_ text: String) throws -> [Part] {
        try parts(wire(text), boundary: "B").parts
    }

    private let twoParts = """
        preamble
        --B
        Content-Disposition: form-data; name="a"

        one\r\r\n-\r\n--\r\n--C
        --B\u{20}\u{9}
        Content-Disposition: form-data; name="f"; filename="x.txt"
        Content-Type: text/plain

        two
        --B--
        epilogue --B
        """

    @Test func `the multipart decoder yields fields and files, but neither preamble nor epilogue`()
        throws
    {
        let expected = [
            Part(name: "a", content: "one\r\r\r\n-\r\r\n--\r\r\n--C"),
            Part(name: "f", filename: "x.txt", content: "two"),
        ]
        let whole = try parts(wire(twoParts), boundary: "B")
        #expect(whole.parts == expected)
        #expect(whole.isComplete)
    }

    @Test func `the multipart decoder yields the same parts for any chunk size`() throws {
        let bytes = wire(twoParts)
        let whole = try parts(bytes, boundary: "B")
        for size in 1..<bytes.count {
            let cut = try parts(bytes, boundary: "B", pieceByteCount: size)
            #expect(cut.parts == whole.parts && cut.isComplete, "pieces of \(size)")
        }
    }

    @Test func `multipart content that resembles the boundary is decoded unchanged`() throws {
        let content = "\r\n--\r\n--A\r\n--BQ\r\n--B-Q\r\n--B \t x\r\n\r\n-B\r"
        let head = "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n"
        let bytes = Array((head + content + "\r\n--B--\r\n").utf8)
        for size in [1, 2, 3, 7, 1_000] {
            let result = try parts(bytes, boundary: "B", pieceByteCount: size)
            #expect(result.parts == [Part(name: "a", content: content)])
        }
    }

    @Test func `a multipart part may be empty, with or without a line break before the boundary`()
        throws
    {
        let disposition = "Content-Disposition: form-data; name=a"
        #expect(try decoded("--B\n\(disposition)\n\n\n--B--") == [Part(name: "a", content: "")])
        #expect(try decoded("--B\n\(disposition)\n\n--B--") == [Part(name: "a", content: "")])
        #expect(try decoded("--B\n\nx\n--B--") == [Part(content: "x")])
    }

    @Test(arguments: ["\n--B--\n", "\n--B--", "\n--B-", "\n--B", "\n--B\n"])
    func `the multipart decoder yields the last part even if the closing boundary is truncated`(
        end: String
    ) throws {
        let body = "--B\nContent-Disposition: form-data; name=a\n\nx" + end
        #expect(try decoded(body) == [Part(name: "a", content: "x")])
        #expect(try parts(wire(body), boundary: "B").isComplete == end.hasPrefix("\n--B--"))
    }

    @Test func `a multipart body that does not contain its boundary has no parts`() throws {
        #expect(try decoded("").isEmpty)
        #expect(try decoded("no boundary at all").isEmpty)
        #expect(try decoded("--B--").isEmpty)
        #expect(try parts(wire("x"), boundary: "B").isComplete == false)
    }

    @Test(arguments: [
        (#"name="a b""#, "a b", nil as String?), ("name=token", "token", nil),
        (#"name="a\"b\\c""#, #"a"b\c"#, nil), (#"name="say "hi" now""#, #"say "hi" now"#, nil),
        (#"name="a;b=c"; filename="d""#, "a;b=c", "d"),
        (#"name=a; filename="C:\dir\x.txt""#, "a", #"C:\dir\x.txt"#),
        (#"name=a; filename="e.txt"; filename*=UTF-8''%e2%82%ac%20x.txt"#, "a", "€ x.txt"),
        (#"name=a; filename*=iso-8859-1'en'%A3"#, "a", "£"),
        (#"name=a; filename*=broken; filename=ok"#, "a", "ok"),
        (#"filename="é"; NAME = "ü""#, "ü", "é"), (#"name="""#, "", nil),
    ])
    func `multipart names and file names are parsed in every notation that real clients use`(
        disposition: String,
        name: String,
        filename: String?
    ) throws {
        let part = try #require(
            try decoded("--B\nContent-Disposition: form-data; \(disposition)\n\nx\n--B--").first
        )
        #expect(part.name == name)
        #expect(part.filename == filename)
    }

    @Test func `a folded header field of a multipart part is unfolded`() throws {
        let body = "--B\nContent-Disposition: form-data;\n\tname=\"a\"\n\nx\n--B--"
        #expect(try decoded(body) == [Part(name: "a", content: "x")])
    }

    @Test func `base64 and quoted-printable multipart parts are decoded`() throws {
        func body(_ encoding: String, _ content: String) -> String {
            "--B\nContent-Disposition: form-data; name=a\n"
                + "Content-Transfer-Encoding: \(encoding)\n\n\(content)\n--B--"
        }
        #expect(
            try decoded(body("base64", "VGVz\ndCAxMjM=")) == [Part(name: "a", content: "Test 123")]
        )
        #expect(try decoded(body("BASE64", "!")) == [Part(name: "a", content: "")])
        #expect(
            try decoded(body("quoted-printable", "a=3Db=\nc=ZZ=C3=A9="))
                == [Part(name: "a", content: "a=bc=ZZé=")]
        )
        #expect(try decoded(body("binary", "a=3D")) == [Part(name: "a", content: "a=3D")])
    }

    @Test(arguments: [
        "Content-\r\r\nDisposition: x", "no colon", ": no name", "a b: c", "a<b: c", "x: a\rb",
        "x : y",
    ])
    func `an invalid header field line in a multipart part throws an error`(line: String) {
        #expect {
            try parts(wire("--B\n\(line)\n\nx\n--B--"), boundary: "B")
        } throws: {
            let error = $0 as? MultipartError
            return error?.kind == .badPartHead && error?.offset ?? 0 >= 5
        }
    }

    @Test func `the multipart decoder throws an error if there are too many parts or header bytes`()
        throws
    {
        let part = "--B\nContent-Disposition: form-data; name=a\n\nx\n"
        func kind(_ body: String, _ limits: MultipartLimits) -> MultipartError.Kind? {
            do throws(MultipartError) {
                _ = try parts(wire(body), boundary: "B", pieceByteCount: 3, limits: limits)
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(kind(part + part + "--B--", MultipartLimits(partCountMax: 2)) == nil)
        #expect(kind(part + part + "--B--", MultipartLimits(partCountMax: 1)) == .tooManyParts)
        #expect(kind(part, MultipartLimits(headByteCountMax: 20)) == .partHeadTooLarge)
        let endless = "--B\nx: " + String(repeating: "y", count: 20_000)
        #expect(kind(endless, MultipartLimits()) == .partHeadTooLarge)
    }

    @Test(arguments: ["", "a\r\nb", "a\u{0}", String(repeating: "b", count: 257)])
    func `the multipart decoder rejects invalid boundaries`(boundary: String) {
        #expect(throws: MultipartError.self) { try parts([], boundary: boundary) }
    }

    @Test func `a multipart decoder that has failed throws again on every further call`() throws {
        var decoder = try MultipartDecoder(boundary: Array("B".utf8))
        var events: [MultipartEvent] = []
        let bytes = wire("--B\nbad\n")
        #expect(throws: MultipartError.self) { try decoder.receive(bytes.span, into: &events) }
        #expect(throws: MultipartError.self) { try decoder.receive(bytes.span, into: &events) }
        decoder.finish(into: &events)
        #expect(events == [.end(isComplete: false)])
    }

    @Test
    func `random multipart bodies are decoded the same whether they arrive whole or byte by byte`()
    {
        var random = SplitMix(seed: 5)
        let alphabet = Array("\r\n\r\n--BB:; =\"x".utf8)
        for _ in 0..<5_000 {
            let bytes = Array("--B\r\n".utf8) + random.bytes(countMax: 60, from: alphabet)
            let whole = try? parts(bytes, boundary: "B").parts
            let dripped = try? parts(bytes, boundary: "B", pieceByteCount: 1).parts
            #expect(whole == dripped)
        }
    }
}
