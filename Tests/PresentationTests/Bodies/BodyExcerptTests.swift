import Testing

@testable import ProxydPresentation

/// Beginnings of bodies that are printed once.
struct BodyExcerptTests {
    private func excerpt(_ text: String, _ contentType: String?) -> BodyExcerpt {
        BodyExcerpt(Array(text.utf8), contentType: contentType)
    }

    @Test func `the excerpt of a JSON body is indented and keeps every token unchanged`() {
        let excerpt = excerpt(#"{"a":[1.0,null],"b":{}}"#, "application/json")
        #expect(
            excerpt.lines.map(\.text) == [
                "{", #"  "a": ["#, "    1.0,", "    null", "  ],", #"  "b": {}"#, "}",
            ])
        #expect(excerpt.omittedByteCount == 0)
    }

    @Test func `the excerpt of a GraphQL request is shown as JSON`() {
        let excerpt = excerpt(#"{"query":"{ a }"}"#, "application/json")
        #expect(excerpt.lines.first?.text == "{")
    }

    @Test func `the excerpt of a form body has one line per name-value pair`() {
        let excerpt = excerpt("user=alice&token=1", "application/x-www-form-urlencoded")
        #expect(excerpt.lines.map(\.text) == ["user = alice", "token = 1"])
    }

    @Test func `a final line break adds no empty line to the excerpt of a text body`() {
        #expect(excerpt("one\ntwo\n", "text/plain").lines.map(\.text) == ["one", "two"])
    }

    @Test func `the excerpt of a long text body counts the bytes it leaves out`() {
        let line = String(repeating: "x", count: 999) + "\n"
        let excerpt = excerpt(String(repeating: line, count: 100), "text/plain")
        #expect(excerpt.lines.count == 65)
        #expect(excerpt.omittedByteCount == 35_000)
    }

    @Test func `the excerpt of a binary body shows its first 256 bytes`() {
        let excerpt = BodyExcerpt([UInt8](repeating: 0, count: 300), contentType: nil)
        #expect(excerpt.lines.count == 16)
        #expect(excerpt.omittedByteCount == 44)
    }

    @Test
    func `an image's excerpt states its dimensions, or is a hex dump if its header is invalid`() {
        let header: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0,
            0, 0, 2, 0, 0, 0, 3, 8, 2, 0, 0, 0, 0, 0, 0, 0,
        ]
        let excerpt = BodyExcerpt(header, contentType: "image/png")
        #expect(excerpt.lines.count == 1)
        #expect(excerpt.lines.first?.text.contains("2 × 3 pixels") == true)
        let broken = BodyExcerpt([1, 2, 3], contentType: "image/png")
        #expect(broken.lines.first?.text.hasPrefix("00000000  01 02 03") == true)
    }
}
