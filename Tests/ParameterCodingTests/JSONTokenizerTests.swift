import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct `JSON tokens` {
    /// The whole tokens of a text that arrives in pieces: kind, and bytes from all pieces.
    private struct Found: Equatable {
        let kind: JSONTokenizer.Kind
        var bytes: [UInt8]
        let start: Int
    }

    private func tokens(_ bytes: [UInt8], sizes: () -> Int) -> [Found] {
        var tokenizer = JSONTokenizer()
        var found: [Found] = []
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(bytes.count, start + max(1, sizes()))])
            var index = 0
            while let token = tokenizer.next(in: piece.span, from: &index) {
                #expect(index == token.range.upperBound)
                #expect(!token.range.isEmpty)
                if token.isStart {
                    found.append(
                        Found(
                            kind: token.kind, bytes: Array(piece[token.range]),
                            start: start + token.range.lowerBound))
                } else {
                    #expect(found.last?.kind == token.kind)
                    found[found.count - 1].bytes += piece[token.range]
                }
            }
            #expect(index == piece.count)
            start += piece.count
        }
        return found
    }

    private func whole(_ bytes: [UInt8]) -> [Found] { tokens(bytes) { bytes.count } }

    private func text(_ found: [Found]) -> [String] {
        found.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test
    func `the JSON tokenizer splits a text into brackets, commas, colons, strings and scalars`() {
        let found = whole(Array(#" {"a\"]" : [1e5,true , "é\\"]} "#.utf8))
        #expect(
            text(found) == [
                "{", #""a\"]""#, ":", "[", "1e5", ",", "true", ",", #""é\\""#, "]", "}",
            ])
        #expect(
            found.map(\.kind) == [
                .opener, .string, .colon, .opener, .scalar, .comma, .scalar, .comma, .string,
                .closer, .closer,
            ])
        #expect(found.map(\.start) == [1, 2, 9, 11, 12, 15, 16, 21, 23, 29, 30])
    }

    @Test(arguments: [
        #"{"a":[1,2.5e-3,"x\\\"y",{"é":"😀\u00e9"}],"b":null}"#, #""\"#, #""\\"#, #""abc"#, "12",
        "[]]]}}}", "\u{FEFF}{}", "a\"b\"c", "\\\"", "\n\t ", "", "]\"\\",
        #"["0123456789abcdef\"0123456789"]"#,
    ])
    func `a JSON text that arrives byte by byte gives the same tokens as the whole text`(
        _ text: String
    ) {
        let bytes = Array(text.utf8)
        #expect(tokens(bytes) { 1 } == whole(bytes))
    }

    @Test func `random bytes give the same JSON tokens in any chunks, and lose only white space`() {
        var random = SplitMix(seed: 7)
        let alphabet = Array("{}[],:\"\"\\\\ \n1ae".utf8) + [0xC3, 0xA9, 0x00, 0xFF]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<60, using: &random)
            let bytes = (0..<count).map { _ in alphabet.pick(&random) }
            let expected = whole(bytes)
            var pieces = random
            #expect(tokens(bytes) { Int.random(in: 1..<9, using: &pieces) } == expected)
            random = pieces
            var rest = bytes
            for token in expected.reversed() {
                let range = token.start..<token.start + token.bytes.count
                #expect(Array(bytes[range]) == token.bytes)
                rest.removeSubrange(range)
            }
            #expect(rest.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) })
        }
    }

    @Test func `the JSON tokenizer does not limit nesting`() {
        let bytes = [UInt8](repeating: 0x5B, count: 1_000_000)
        var tokenizer = JSONTokenizer()
        var index = 0
        var count = 0
        while tokenizer.next(in: bytes.span, from: &index)?.kind == .opener { count += 1 }
        #expect(count == bytes.count)
    }

    @Test(
        arguments: [
            ("a\" ", 2), ("\\\"\"", 3), ("\\\\\"", 3), ("\"", 1), ("\\", nil), ("ab", nil),
            ("", nil),
            ("é\"", 3),
        ] as [(String, Int?)])
    func `the JSON tokenizer finds the end of a string from inside it, skipping escaped quotes`(
        _ text: String, end: Int?
    ) {
        #expect(JSONTokenizer.stringEnd(in: Array(text.utf8).span, from: 0) == end)
    }

    @Test func `the JSON tokenizer reports the end of a scalar only after another byte arrives`() {
        let bytes = Array(#"12 "ab"#.utf8)
        let cut = JSONTokenizer.token(in: bytes.span.extracting(0..<2), from: 0)
        #expect(cut?.range == 0..<2)
        #expect(cut?.isEnd == false)
        let number = JSONTokenizer.token(in: bytes.span, from: 0)
        #expect(number?.range == 0..<2)
        #expect(number?.isEnd == true)
        let string = JSONTokenizer.token(in: bytes.span, from: 2)
        #expect(string?.range == 3..<6)
        #expect(string?.isEnd == false)
        #expect(JSONTokenizer.token(in: bytes.span, from: 6) == nil)
    }
}
