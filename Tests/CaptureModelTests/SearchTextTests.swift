import ProxydFilter
import ProxydHTTPModel
import ProxydCaptureModel
import ProxydTestSupport
import Testing

/// How bodies are written into search indexes, and decoded for filters.
@Suite struct SearchTextTests {
    private func indexed(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        SearchText.append(bytes.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    @Test
    func `the search index stores each byte as one character, with ASCII letters in lower case`() {
        let all = indexed(Array(UInt8.min...UInt8.max))
        #expect(all.unicodeScalars.count == 256)
        #expect(!all.unicodeScalars.contains("\u{0}") && all.unicodeScalars.first == "\u{100}")
        #expect(indexed(Array("AbZ[é".utf8)) == "abz[\u{C3}\u{A9}")
        #expect(indexed([0xFF, 0x80]) == "\u{FF}\u{80}")
    }

    /// Otherwise an index would miss what a filter finds.
    @Test func `a text search in the index finds a body if and only if a byte search does`() {
        var random = SplitMix(seed: 9)
        let alphabet = Array("aAbé".utf8) + [0xFF]
        for _ in 0..<2_000 {
            let body = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                alphabet.pick(&random)
            }
            let needle = ["aab", "aé", "b", "éa"].pick(&random)
            let isFound = ByteSearch(needle).isFound(in: body.span)
            #expect(indexed(body).contains(indexed(ByteSearch(needle).needle)) == isFound)
        }
    }

    @Test func `a body with many control characters is not indexed as text`() {
        func isText(_ bytes: [UInt8]) -> Bool { SearchText.isText(bytes.span) }
        #expect(isText([]) && isText(Array("a\tb\r\n\u{1B}[1m é".utf8)))
        #expect(!isText([0]) && !isText([0x89, 0x50, 0x4E, 0x47, 1, 2, 3]))
        #expect(isText([UInt8](repeating: 0x61, count: 64) + [0]))
        #expect(!isText([UInt8](repeating: 0x61, count: 62) + [0]))
    }

    private func needle(_ text: String) throws -> String? {
        let plan = try Filter.parse(text, now: 0).plan
        for case .text(_, let match) in plan.requiredTests {
            return SearchText.needle(of: match).map { String(decoding: $0, as: UTF8.self) }
        }
        return nil
    }

    @Test(arguments: [
        ("body:Apple", "apple"), ("body=\"A B\"", "a b"), ("body~^Apple.*", "apple"),
        ("body:ab", nil), ("body~apple", nil), ("body~(?i)^apple", nil), ("body:\"\"", nil),
        ("body:a\u{FFFD}bc", nil), ("body:é1", "é1"), ("host=A.test.", "a.test"),
    ])
    func `a filter searches the index only for a literal that every match must contain`(
        text: String, wanted: String?
    ) throws {
        #expect(try needle(text) == wanted)
    }

    private static func fields(_ pairs: [(String, String)]) -> HeaderFields {
        HeaderFields(pairs.map { (name: $0.0, value: $0.1) })
    }

    @Test func `a body without content codings is returned unchanged by decoding`() {
        let plain = BodyDecoding.decoded([1, 2], Self.fields([("Content-Type", "a/b")]))
        #expect(plain.bytes == [1, 2] && plain.failure == nil)
        #expect(BodyDecoding.decoded([1], nil).bytes == [1])
        #expect(!BodyDecoding.hasMessageBytes(Self.fields([])))
        #expect(BodyDecoding.messageBytes([1, 2], nil) == [1, 2])
    }

    @Test func `decoding a damaged gzip body reports a failure`() {
        let broken = BodyDecoding.decoded(
            [0x1F, 0x8B] + Array("no gzip".utf8), Self.fields([("Content-Encoding", "gzip")]))
        #expect(broken.failure != nil)
    }

    @Test(arguments: ["gzip", "br", "secret"])
    func `decoding leaves a body unchanged if it is not in its declared content coding`(
        coding: String
    ) {
        let plain = BodyDecoding.decoded(
            Array("no gzip".utf8), Self.fields([("content-encoding", coding)]))
        #expect(plain.bytes == Array("no gzip".utf8) && plain.failure == nil)
    }

    @Test func `the messages in a grpc-web-text body are read after Base64 decoding`() {
        let fields = Self.fields([("Content-Type", "application/grpc-web-text")])
        #expect(BodyDecoding.hasMessageBytes(fields))
        #expect(BodyDecoding.messageBytes(Array("AAEC".utf8), fields) == [0, 1, 2])
        // Each message may be padded on its own.
        #expect(BodyDecoding.messageBytes(Array("AA==AQ==".utf8), fields) == [0, 1])
        #expect(BodyDecoding.messageBytes(Array("A".utf8), fields) == [])
        let coded = Self.fields([("Content-Encoding", "gzip")])
        #expect(BodyDecoding.hasMessageBytes(coded))
    }
}
