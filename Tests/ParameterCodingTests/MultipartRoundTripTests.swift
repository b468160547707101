import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct MultipartRoundTripTests {
    private func form(_ random: inout SplitMix) -> MultipartFormData {
        var form = MultipartFormData(
            boundary: MultipartBoundary.random(using: &random),
            writesExtendedFilenames: .random(using: &random)
        )
        let nameAlphabet = Array("ab \"\r\n;='\\%é€\u{1F600}\0\t".unicodeScalars)
        func text(_ random: inout SplitMix) -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                text.append(nameAlphabet.randomElement(using: &random) ?? "a")
            }
            return String(text)
        }
        let contentAlphabet = Array("\r\n-F\0\u{FF}".utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let content = random.bytes(countMax: 24, from: contentAlphabet)
            let isFile = Bool.random(using: &random)
            form.append(
                content,
                name: text(&random),
                filename: isFile ? text(&random) : nil,
                contentType: isFile ? "text/plain; charset=utf-8" : nil
            )
        }
        return form
    }

    /// The parts that a body has, cut into pieces of a size.
    private func decoded(
        _ body: [UInt8],
        _ boundary: MultipartBoundary,
        pieceByteCount: Int
    ) throws -> [MultipartPart] {
        var decoder = try MultipartDecoder(boundary: Array(boundary.text.utf8))
        var events: [MultipartEvent] = []
        var start = 0
        while start < body.count {
            let end = min(body.count, start + pieceByteCount)
            try decoder.receive(body.span.extracting(start..<end), into: &events)
            start = end
        }
        decoder.finish(into: &events)
        var parts: [MultipartPart] = []
        var content: [UInt8] = []
        for event in events {
            switch event {
            case .part(let head):
                parts.append(
                    MultipartPart(
                        name: head.name, filename: head.filename, contentType: head.contentType,
                        content: .bytes([])))
                content = []
            case .data(let bytes): content += bytes
            case .partEnd: parts[parts.count - 1].content = .bytes(content)
            case .end(let isComplete): #expect(isComplete)
            }
        }
        return parts
    }

    @Test func `random multipart forms are decoded as they were encoded, for any chunk size`()
        throws
    {
        var random = SplitMix(seed: 7)
        for round in 0..<300 {
            let form = form(&random)
            let body = try form.encoded()
            #expect(form.byteCount == Int64(body.count))
            let sizes = round < 20 ? Array(1...body.count) : [1, 2, 3, 17, body.count]
            for size in sizes {
                let parts = try decoded(body, form.boundary, pieceByteCount: size)
                #expect(parts == form.parts, "pieces of \(size)")
            }
        }
    }

    @Test func `a multipart form decoded into parts is encoded again byte for byte`()
        throws
    {
        let body = Array(
            ("--B\r\ncontent-disposition: form-data; name=a; filename*=utf-8''%41\r\n"
                + "X-Other: \"y\"\r\n\r\none\r\n--B\r\n\r\n\r\n--B--\r\n").utf8)
        var decoder = try MultipartDecoder(boundary: Array("B".utf8))
        var events: [MultipartEvent] = []
        try decoder.receive(body.span, into: &events)
        var form = MultipartFormData(boundary: try MultipartBoundary("B"))
        for event in events {
            switch event {
            case .part(let head):
                form.append(MultipartPart(name: nil, fields: head.fields, content: .bytes([])))
            case .data(let bytes):
                form.parts[form.parts.count - 1].content = .bytes(bytes)
            case .partEnd, .end: break
            }
        }
        #expect(try form.encoded() == body)
    }

    @Test(arguments: [#"\"#, #"a\"#, #"a\\"#, #"a\\b"#, #"C:\dir\\x"#, #"\\\"#, #"a\;b\"#])
    func `backslashes in multipart names and file names survive encoding and decoding`(text: String)
        throws
    {
        for isExtended in [false, true] {
            var form = MultipartFormData(
                boundary: try MultipartBoundary("B"), writesExtendedFilenames: isExtended)
            form.append([], name: text, filename: text)
            form.append([], name: text + "é", filename: text + "é\\")
            let read = try parts(form.encoded(), boundary: "B").parts
            #expect(read.map(\.name) == [text, text + "é"])
            #expect(read.map(\.filename) == [text, text + "é\\"])
        }
    }

    /// What browsers escape cannot be told from the same text unescaped.
    @Test
    func `a multipart name that contains a literal %22 comes back as a quotation mark`()
        throws
    {
        var plain = MultipartFormData(boundary: try MultipartBoundary("B"))
        plain.append("x", name: "a%22b")
        #expect(try parts(plain.encoded(), boundary: "B").parts.first?.name == "a\"b")
        var form = MultipartFormData(
            boundary: try MultipartBoundary("B"), writesExtendedFilenames: true)
        form.append([], name: "n", filename: #"a%22\\é"#)
        #expect(try parts(form.encoded(), boundary: "B").parts.first?.filename == #"a%22\\é"#)
    }
}
