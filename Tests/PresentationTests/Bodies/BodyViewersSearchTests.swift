import ProxydPresentation
import Testing

struct BodyViewersSearchTests {
    private func search(
        _ needle: String, _ bytes: [UInt8], isCaseSensitive: Bool = false
    ) throws -> BodySearch {
        let facts = BodyFacts(contentType: "text/plain", bytes: bytes)
        return BodySearch(
            needle: try #require(
                BodyNeedle(needle, TextEncoding(facts), isCaseSensitive: isCaseSensitive)),
            source: LoadedBody(bytes), load: { _ in }, isCancelled: { false }, progress: { _ in })
    }

    @Test
    func `body search in either direction finds a match that spans two read windows`()
        throws
    {
        let window = BodySearch.windowByteCount
        for place in [window - 3, window - 1, window, 2 * window - 2, 0, 3 * window - 6] {
            var bytes = [UInt8](repeating: UInt8(ascii: "."), count: 3 * window)
            bytes.replaceSubrange(place..<place + 6, with: Array("needle".utf8))
            let search = try search("needle", bytes)
            let expected = place..<place + 6
            #expect(search.match(in: 0..<Int.max, .forward) == expected)
            #expect(search.match(in: 0..<Int.max, .backward) == expected)
            #expect(search.match(in: place + 1..<Int.max, .forward) == nil)
            #expect(search.match(in: 0..<place, .backward) == nil)
        }
    }

    @Test
    func `body search ignores case by default, and finds bytes given as 0x and hex digits`()
        throws
    {
        let bytes = Array("abc ABC Ünde ünde".utf8)
        #expect(try search("abc", bytes).match(in: 1..<Int.max, .forward) == 4..<7)
        #expect(try search("ABC", bytes).match(in: 0..<Int.max, .forward) == 0..<3)
        #expect(
            try search("ABC", bytes, isCaseSensitive: true).match(in: 0..<Int.max, .forward)
                == 4..<7)
        #expect(try search("ünde", bytes).match(in: 0..<Int.max, .forward) == 8..<13)
        #expect(try search("0x41 42", bytes).match(in: 0..<Int.max, .forward) == 4..<6)
        #expect(BodyNeedle("", TextEncoding(BodyFacts(contentType: nil, bytes: []))) == nil)
    }

    @Test func `body search looks for text in the charset of the body`() throws {
        let wide: [UInt8] =
            [0xFF, 0xFE]
            + "añb".utf16.flatMap {
                [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
            }
        #expect(try search("ñ", wide).match(in: 0..<Int.max, .forward) == 4..<6)
        #expect(try search("é", [0x63, 0xE9, 0x2E]).match(in: 0..<Int.max, .forward) == 1..<2)
    }

    @Test func `body search loads the body while it searches, and can be cancelled`() throws {
        let bytes = [UInt8](repeating: 1, count: 3 << 20)
        let body = LoadedBody()
        let needle = try #require(
            BodyNeedle("x", TextEncoding(BodyFacts(contentType: nil, bytes: []))))
        let cancelled = BodySearch(
            needle: needle, source: body, load: { _ in }, isCancelled: { true },
            progress: { _ in })
        #expect(cancelled.match(in: 0..<Int.max, .forward) == nil)
        let whole = BodySearch(
            needle: needle, source: body,
            load: { body.load(upTo: $0, from: PiecewiseOrigin(bytes: bytes)) { false } },
            isCancelled: { false }, progress: { _ in })
        #expect(whole.match(in: 0..<Int.max, .forward) == nil)
        #expect(body.extent.byteCount == bytes.count)
        #expect(body.extent.isComplete)
    }

    @Test func `body viewers find the line that shows a given byte`() throws {
        let text = #"{"a":[1,2,{"needle":true}],"b":"x"}"#
        let bytes = Array(text.utf8)
        var viewer = Viewed.viewer(
            "json text", BodyFacts(contentType: "application/json", bytes: bytes),
            LoadedBody(bytes))
        #expect(viewer.line(atOffset: 12) == nil)
        Viewed.finish(&viewer)
        let hit = try #require(try search("needle", bytes).match(in: 0..<Int.max, .forward))
        let line = try #require(viewer.line(atOffset: hit.lowerBound))
        #expect(Viewed.text(viewer)[line].contains("needle"))
        #expect(viewer.offset(ofLine: line).map { $0 <= hit.lowerBound } == true)
        let hex = Viewed.viewer(
            "hex", BodyFacts(contentType: nil, bytes: bytes), LoadedBody(bytes))
        #expect(hex.line(atOffset: hit.lowerBound) == hit.lowerBound / 16)
    }
}
