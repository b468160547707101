import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct MultipartFormDataTests {
    private func form(_ boundary: String = "B", extended: Bool = false) throws -> MultipartFormData
    {
        MultipartFormData(
            boundary: try MultipartBoundary(boundary),
            writesExtendedFilenames: extended
        )
    }

    private func text(_ form: MultipartFormData) throws -> String {
        String(decoding: try form.encoded(), as: UTF8.self)
    }

    @Test func `MultipartFormData separates parts by its boundary and names it in Content-Type`()
        throws
    {
        var form = try form()
        form.append("one", name: "a")
        form.append([0, 13, 10, 255], name: "f", filename: "x.bin", contentType: "x/y")
        let first = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none"
        let second =
            "\r\n--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.bin\"\r\n"
            + "Content-Type: x/y\r\n\r\n"
        let expected =
            Array(first.utf8) + Array(second.utf8) + [0, 13, 10, 255] + Array("\r\n--B--\r\n".utf8)
        #expect(try form.encoded() == expected)
        #expect(form.byteCount == Int64(expected.count))
        #expect(form.contentType == "multipart/form-data; boundary=B")
    }

    @Test func `a multipart form without parts is encoded as its closing boundary only`() throws {
        let form = try form()
        #expect(try text(form) == "--B--\r\n")
        #expect(form.byteCount == 7)
    }

    @Test func `quotes and line ends in multipart names and file names are percent-encoded`() throws
    {
        var form = try form()
        form.append([], name: "a\"b\r\nc", filename: "é\"\n\\%22")
        #expect(
            try text(form)
                == "--B\r\nContent-Disposition: form-data; name=\"a%22b%0D%0Ac\"; "
                + "filename=\"é%22%0A\\%22\"\r\n\r\n\r\n--B--\r\n"
        )
    }

    @Test(arguments: [
        ("plain name.txt", nil as String?), ("é.txt", "%C3%A9.txt"), ("a\"b", "a%22b"),
        ("a%b€", "a%25b%E2%82%AC"), (#"a\b"#, "a%5Cb"), ("*'", nil),
    ])
    func `filename* is added to a multipart part only if it is enabled and needed`(
        filename: String,
        extended: String?
    ) throws {
        var with = try form(extended: true)
        with.append([], name: "n", filename: filename)
        var without = try form()
        without.append([], name: "n", filename: filename)
        let addition = extended.map { "; filename*=UTF-8''" + $0 } ?? ""
        let plain = try text(without)
        let head = "\"\r\n\r\n"
        #expect(try text(with) == plain.replacing(head, with: "\"\(addition)\r\n\r\n"))
        #expect(try parts(with.encoded(), boundary: "B").parts.first?.filename == filename)
    }

    @Test func `MultipartFormData writes additional header fields of a part`() throws {
        var form = try form()
        let field = MultipartPartHead.Field(name: "X-Note", value: Array("y".utf8))
        form.append(MultipartPart(name: nil, fields: [field], content: .bytes([0x78])))
        #expect(try text(form) == "--B\r\nX-Note: y\r\n\r\nx\r\n--B--\r\n")
    }

    @Test(arguments: [
        ("", "v"), ("a b", "v"), ("a:", "v"), ("a\r\nb", "v"), ("a", "v\r\nb: c"), ("a", "v\n"),
        ("a", "\0"),
    ])
    func `a multipart header field with an invalid name or a line break is rejected`(
        name: String, value: String
    ) throws {
        var form = try form()
        form.append("x", name: "ok")
        let field = MultipartPartHead.Field(name: name, value: Array(value.utf8))
        form.append(MultipartPart(name: "n", fields: [field], content: .bytes([])))
        #expect(throws: MultipartEncodingError.badField(partIndex: 1, name: name)) {
            try form.segments()
        }
    }

    @Test func `a multipart part's Content-Type with a line break is rejected`() throws {
        var form = try form()
        form.append("x", name: "n")
        form.parts[0].contentType = "a/b\r\nc: d"
        #expect(throws: MultipartEncodingError.badField(partIndex: 0, name: "Content-Type")) {
            try form.encoded()
        }
    }

    @Test(arguments: [
        "", " ", "a ", "a\"b", "a\r\nb", "ä", "a;b", String(repeating: "b", count: 71),
    ])
    func `MultipartBoundary rejects invalid boundaries`(text: String) {
        #expect(throws: MultipartEncodingError.badBoundary) { try MultipartBoundary(text) }
    }

    @Test(arguments: [
        ("0aZ'+_-.", "0aZ'+_-."), ("a b", "\"a b\""), ("(a),/:=?", "\"(a),/:=?\""),
        (String(repeating: "b", count: 70), String(repeating: "b", count: 70)),
    ])
    func `a multipart boundary is quoted in Content-Type if it is not a token`(
        text: String, parameter: String
    ) throws {
        let form = try form(text)
        #expect(form.contentType == "multipart/form-data; boundary=" + parameter)
        #expect(MediaType(form.contentType)?.boundary == Array(text.utf8))
    }

    @Test func `random multipart boundaries are valid, 36 bytes long and all different`() throws {
        var random = SplitMix(seed: 1)
        let boundaries = (0..<100).map { _ in MultipartBoundary.random(using: &random).text }
        #expect(Set(boundaries).count == 100)
        for boundary in boundaries + [MultipartFormData().boundary.text] {
            #expect(boundary.utf8.count == 36)
            #expect(try MultipartBoundary(boundary).text == boundary)
        }
        var again = SplitMix(seed: 1)
        #expect(MultipartBoundary.random(using: &again).text == boundaries.first)
    }

    @Test(arguments: ["--B", "--Bx", "a\r\n--B", "\r\n--B--", "\r\r\n--B"])
    func `encoding a multipart form whose content contains the boundary throws an error`(
        content: String
    ) throws {
        var form = try form()
        form.append("x", name: "ok")
        form.append(content, name: "n")
        #expect(throws: MultipartEncodingError.boundaryInContent(partIndex: 1)) {
            try form.encoded()
        }
    }

    @Test(arguments: ["-B", "B", "a--B", "\n--B", "\r--B", "\r\n--", "\r\n-B", "\r\r--B"])
    func `a multipart form can contain text that resembles its boundary but is not equal to it`(
        content: String
    ) throws {
        var form = try form()
        form.append(content, name: "n")
        #expect(
            try parts(form.encoded(), boundary: "B").parts == [Part(name: "n", content: content)])
    }
}
