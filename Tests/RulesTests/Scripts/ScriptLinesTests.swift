import ProxydRules
import Testing

struct ScriptLinesTests {
    private func texts(_ lines: [[UInt8]]) -> [String] {
        lines.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: 1...12)
    func `the output of a script is split into the same lines for any chunk size`(
        pieceByteCount: Int
    ) {
        var lines = ScriptLines(byteCountMax: 5)
        let text = Array("one\ntwo\r\n\nfive5\nthis is long\nrest".utf8)
        for start in stride(from: 0, to: text.count, by: pieceByteCount) {
            lines.append(text[start..<min(start + pieceByteCount, text.count)])
        }
        #expect(texts(lines.takeLines()) == ["one", "two", "", "five5", "this "])
        #expect(lines.hasOverrun && lines.takeLines().isEmpty)
        #expect(texts([lines.takeRest()]) == ["rest"] && lines.takeRest().isEmpty)
    }

    @Test func `an overlong line of a script's output is truncated, and the next line is complete`()
    {
        var lines = ScriptLines(byteCountMax: 100)
        let flood = [UInt8](repeating: 0x61, count: 1_000)
        for _ in 0..<1_000 { lines.append(flood[...]) }
        #expect(lines.hasOverrun && lines.takeLines().map(\.count) == [100])
        #expect(lines.takeRest().isEmpty)
        lines.append(Array("\nnext\n".utf8)[...])
        #expect(texts(lines.takeLines()) == ["next"])
    }
}
