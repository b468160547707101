import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// Multipart bodies that are changed part by part.
struct EncodedPartsTests {
    private static let body = """
        preamble\r
        --b1 \t\r
        Content-Disposition: form-data; filename="name=.txt"; name="a"\r
        X-Own:  kept \r
        \r
        one\r
        --b1x is no boundary\r
        --b1\r
        content-disposition: form-data; name="file"; filename="a.bin"\r
        Content-Type: application/octet-stream\r
        \r
        \u{0}\r
        \r
        --b1\r
        \r
        no head\r
        --b1--\r
        epilogue
        """

    private func parts(_ text: String = body) -> EncodedParts? {
        EncodedParts(Array(text.utf8), boundary: Array("b1".utf8))
    }

    private func text(_ parts: EncodedParts?) -> String {
        String(decoding: parts?.bytes ?? [], as: UTF8.self)
    }

    @Test func `a multipart body that is parsed but not edited is written byte for byte as it was`()
        throws
    {
        let parts = try #require(self.parts())
        #expect(parts.parts.map(\.head.name) == ["a", "file", nil])
        #expect(parts.parts.map(\.head.filename) == ["name=.txt", "a.bin", nil])
        #expect(parts.parts[1].content == Array("\u{0}\r\n".utf8))
        #expect(text(parts) == Self.body)
    }

    @Test func `changing the content or name of a part changes no other byte of a multipart body`()
        throws
    {
        var changed = try #require(self.parts())
        let done1 = changed.setContent(Array("ONE".utf8), at: 0)
        #expect(done1)
        let done2 = changed.rename(at: 1, to: "other \"one\"")
        #expect(done2)
        let wanted = Self.body
            .replacing("one\r\n--b1x is no boundary", with: "ONE")
            .replacing("name=\"file\"", with: "name=\"other %22one%22\"")
        #expect(text(changed) == wanted)
        #expect(changed.parts[1].head.name == "other \"one\"")
        #expect(changed.parts[1].head.filename == "a.bin")
        let done3 = changed.rename(at: 0, to: "b")
        #expect(done3)
        #expect(changed.parts[0].head.name == "b" && changed.parts[0].head.filename == "name=.txt")
        let done4 = changed.rename(at: 2, to: "c")
        #expect(!done4)
    }

    @Test func `parts of a multipart body can be inserted, removed and swapped`() throws {
        var changed = try #require(self.parts("--b1\r\n\r\n1\r\n--b1\r\n\r\n2\r\n--b1--\r\n"))
        changed.swapNeighbours(at: 0)
        #expect(text(changed) == "--b1\r\n\r\n2\r\n--b1\r\n\r\n1\r\n--b1--\r\n")
        changed.remove(at: 0)
        #expect(text(changed) == "--b1\r\n\r\n1\r\n--b1--\r\n")
        let head = "Content-Disposition: form-data; name="
        let done5 = changed.insert(name: "z", content: Array("Z".utf8), at: 9)
        #expect(done5)
        let done6 = changed.insert(name: "y", content: Array("Y".utf8), at: 0)
        #expect(done6)
        #expect(
            text(changed)
                == "--b1\r\n\(head)\"y\"\r\n\r\nY\r\n--b1\r\n\r\n1\r\n--b1\r\n\(head)\"z\"\r\n\r\nZ"
                + "\r\n--b1--\r\n")
        for _ in 0..<3 { changed.remove(at: 0) }
        #expect(text(changed) == "--b1--\r\n" && changed.parts.isEmpty)
        changed.remove(at: 0)
        changed.swapNeighbours(at: 0)
        let done7 = changed.setContent([], at: 0)
        #expect(!done7)
    }

    @Test func `a part can be inserted into a multipart body that has no parts`() throws {
        let body = "before\r\n--b1--\r\nafter"
        var changed = try #require(parts(body))
        #expect(text(changed) == body && changed.parts.isEmpty)
        let isDone = changed.insert(name: "a", content: Array("1".utf8), at: 0)
        #expect(isDone)
        let head = "Content-Disposition: form-data; name=\"a\""
        let one = "before\r\n--b1\r\n\(head)\r\n\r\n1\r\n--b1--\r\nafter"
        #expect(text(changed) == one && parts(one)?.parts.count == 1)
        changed.remove(at: 0)
        #expect(text(changed) == body)
    }

    @Test func `editing a multipart body with LF line endings keeps them`() throws {
        let head = "Content-Disposition: form-data; name="
        let body = "--b1\n\(head)\"a\"\n\n1\n--b1\n\(head)\"f\"; filename=\"x\"\n\n\u{0}\n--b1--\n"
        var changed = try #require(parts(body))
        #expect(text(changed) == body && changed.parts[1].content == [0])
        try changed.setField(named: "a", to: "2")
        try changed.addField(named: "b", value: "3")
        let wanted = body.replacing("\n1\n", with: "\n2\n")
            .replacing("\n--b1--", with: "\n--b1\n\(head)\"b\"\n\n3\n--b1--")
        #expect(text(changed) == wanted)
    }

    @Test
    func `editing a multipart body rejects part content that contains the boundary`()
        throws
    {
        var changed = try #require(self.parts())
        let done8 = changed.setContent(Array("x\r\n--b1\r\n".utf8), at: 0)
        #expect(!done8)
        let done9 = changed.setContent(Array("--b1--".utf8), at: 0)
        #expect(!done9)
        let done10 = changed.insert(name: "a", content: Array("\r\n--b1\r\n".utf8), at: 0)
        #expect(!done10)
        #expect(text(changed) == Self.body)
        let done11 = changed.setContent(Array("--b12".utf8), at: 0)
        #expect(done11)
    }

    @Test(arguments: [
        "", "no parts", "--b1", "--b1\r\n\r\nopen",
        "--b1\r\nhead without end\r\n--b1--",
        "--b1\r\n--b1--", "--b1\r\n\nlf\n--b1--\n",
    ])
    func `a truncated or malformed multipart body cannot be opened for editing`(text: String) {
        #expect(parts(text) == nil)
    }

    @Test
    func `random multipart bodies are rejected or kept unchanged, and edits leave them valid`() {
        var random = SplitMix(seed: 7)
        let pieces = [
            "--b1", "\r\n", "--", "x", "\r\n\r\n", "Content-Disposition: a; name=\"", "\"",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<14, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            guard var parts = parts(text) else { continue }
            #expect(self.text(parts) == text)
            _ = parts.rename(at: 0, to: "n")
            _ = parts.insert(name: "i", content: [1], at: 1)
            parts.remove(at: 0)
            #expect(parts.bytes.isEmpty || self.parts(self.text(parts)) != nil, "\(text)")
        }
    }
}
