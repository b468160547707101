import ProxydParameterCoding
import Testing

/// Fields of multipart forms that are edited by their names.
struct EncodedPartFieldTests {
    private static let file = filePart("f")

    private static func filePart(_ name: String) -> String {
        "--b1\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"x\"\r\n\r\n"
            + "\u{0}\r\n\r\n"
    }

    private func field(_ name: String, _ content: String, _ lines: String = "") -> String {
        "--b1\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\(lines)\r\n\(content)\r\n"
    }

    private func edited(
        _ body: String, _ edit: (inout EncodedParts) throws -> Void
    ) throws -> String {
        var parts = try #require(EncodedParts(Array(body.utf8), boundary: Array("b1".utf8)))
        try edit(&parts)
        return String(decoding: parts.bytes, as: UTF8.self)
    }

    @Test func `setting a multipart field changes the first non-file part of that name`()
        throws
    {
        let body =
            EncodedPartFieldTests.filePart("a") + field("a", "1") + field("a", "2")
            + "--b1--\r\nepilogue"
        let set = try edited(body) { try $0.setField(named: "a", to: "é") }
        #expect(set == body.replacing("\r\n1\r\n", with: "\r\né\r\n"))
        #expect(try edited(body) { try $0.setField(named: "a", to: "1") } == body)
    }

    @Test func `setting a field that a multipart form lacks adds a part at the end`() throws {
        let body = field("a", "1") + "--b1--\r\n"
        let added = try edited(body) { try $0.setField(named: "b\"", to: "2") }
        #expect(added == field("a", "1") + field("b%22", "2") + "--b1--\r\n")
    }

    @Test
    func `setting a multipart field fails if it is a file or the value contains the boundary`()
        throws
    {
        let body = field("a", "1") + EncodedPartFieldTests.file + "--b1--\r\n"
        #expect(throws: EncodedParts.FieldProblem.isFile) {
            _ = try edited(body) { try $0.setField(named: "f", to: "2") }
        }
        for value in ["x\r\n--b1--\r\n", "--b1\r\n", "\r\n--b1 \r\nContent-Type: a/b\r\n\r\n"] {
            #expect(throws: EncodedParts.FieldProblem.boundaryInValue) {
                _ = try edited(body) { try $0.setField(named: "a", to: value) }
            }
            #expect(throws: EncodedParts.FieldProblem.boundaryInValue) {
                _ = try edited(body) { try $0.addField(named: "c", value: value) }
            }
        }
    }

    @Test func `multipart parts are removed by name, all of them or only those with a given value`()
        throws
    {
        let body =
            field("a", "1") + EncodedPartFieldTests.file + field("a", "2") + field("c", "3")
            + "--b1--\r\n"
        #expect(
            try edited(body) { $0.removeAll(named: "a") }
                == EncodedPartFieldTests.file + field("c", "3") + "--b1--\r\n")
        #expect(
            try edited(body) { $0.removeAll(named: "a") { $0 == "2" } }
                == field("a", "1") + EncodedPartFieldTests.file + field("c", "3") + "--b1--\r\n")
        #expect(
            try edited(body) { $0.removeAll(named: "f") { $0 == "x" } }
                == field("a", "1") + field("a", "2") + field("c", "3") + "--b1--\r\n")
    }

    @Test func `setting a multipart field keeps the Content-Transfer-Encoding of its part`() throws
    {
        let base64 = "Content-Transfer-Encoding: base64\r\n"
        let quoted = "Content-Transfer-Encoding: quoted-printable\r\n"
        let body = field("a", "b25l", base64) + field("b", "a=3Db", quoted) + "--b1--\r\n"
        #expect(
            try edited(body) {
                try $0.setField(named: "a", to: "one")
                try $0.setField(named: "b", to: "a=b")
            } == body)
        let set = try edited(body) {
            try $0.setField(named: "a", to: "two")
            try $0.setField(named: "b", to: "é =" + String(repeating: "x", count: 80))
        }
        let parts = try #require(EncodedParts(Array(set.utf8), boundary: Array("b1".utf8)))
        #expect(
            parts.parts.indices.map(parts.text(at:)) == [
                "two", "é =" + String(repeating: "x", count: 80),
            ])
        #expect(set.contains("dHdv"))
        let lines = set.split(separator: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
    }

    @Test(arguments: [
        // The charset of the part, of the form's Content-Type, and of the field `_charset_`.
        ("", "Content-Type: text/plain; charset=Shift_JIS\r\n", nil),
        ("", "", "Shift_JIS"),
        (
            "--b1\r\nContent-Disposition: form-data; name=\"_charset_\"\r\n\r\nShift_JIS\r\n", "",
            nil
        ),
    ])
    func `a multipart field is read and written in the charset declared by its part or its form`(
        _ first: String, _ lines: String, _ label: String?
    ) throws {
        func body(_ value: [UInt8]) -> [UInt8] {
            let head = "--b1\r\nContent-Disposition: form-data; name=\"a\"\r\n\(lines)\r\n"
            return Array((first + head).utf8) + value + Array("\r\n--b1--\r\n".utf8)
        }
        let (one, two): ([UInt8], [UInt8]) = ([0x83, 0x41], [0x83, 0x42])
        var parts = try #require(
            EncodedParts(body(one), boundary: Array("b1".utf8), declaredCharset: label))
        #expect(parts.text(at: parts.parts.count - 1) == "ア")
        try parts.setField(named: "a", to: "ア")
        #expect(parts.bytes == body(one))
        try parts.setField(named: "a", to: "ィ")
        #expect(parts.bytes == body(two))
        try parts.setField(named: "a", to: "é")
        #expect(parts.bytes == body(Array("&#233;".utf8)))
    }

    @Test(
        arguments: [
            ("utf-16le", [0xE9, 0], [0xE0, 0]),
            ("utf-16", [0xFE, 0xFF, 0, 0xE9], [0xFE, 0xFF, 0, 0xE0]),
        ] as [(String, [UInt8], [UInt8])])
    func `a multipart field declared as UTF-16 is read and written in UTF-16`(
        label: String, former: [UInt8], wanted: [UInt8]
    ) throws {
        let head = field("a", "", "Content-Type: text/plain; charset=\(label)\r\n")
        func body(_ value: [UInt8]) -> [UInt8] {
            Array(head.dropLast(1).utf8) + value + Array("\r\n--b1--\r\n".utf8)
        }
        var parts = try #require(EncodedParts(body(former), boundary: Array("b1".utf8)))
        #expect(parts.text(at: 0) == "é")
        try parts.setField(named: "a", to: "à")
        #expect(parts.bytes == body(wanted))
    }

    @Test func `a _charset_ field also applies to the multipart fields before it`() throws {
        let body = { (value: [UInt8]) in
            Array("--b1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8) + value
                + Array(("\r\n" + field("_charset_", "Shift_JIS") + "--b1--\r\n").utf8)
        }
        var parts = try #require(EncodedParts(body([0x83, 0x41]), boundary: Array("b1".utf8)))
        #expect(parts.text(at: 0) == "ア")
        try parts.setField(named: "a", to: "ィ")
        #expect(parts.bytes == body([0x83, 0x42]))
    }

    @Test func `the name of a field added to a multipart form is written in the form's charset`()
        throws
    {
        let body = Array((field("a", "1") + "--b1--\r\n").utf8)
        var parts = try #require(
            EncodedParts(body, boundary: Array("b1".utf8), declaredCharset: "iso-8859-1"))
        try parts.setField(named: "é", to: "è")
        #expect(parts.bytes.firstRange(of: [0x22, 0xE9, 0x22]) != nil)
        try parts.setField(named: "é", to: "ê")
        #expect(parts.parts.count == 2 && parts.text(at: 1) == "ê")
    }
}
