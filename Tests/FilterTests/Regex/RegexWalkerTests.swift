import ProxydTestSupport
import Testing

@testable import ProxydFilter

@Suite struct RegexWalkerTests {
    @Test func `regex matches do not depend on the memory limit for cached states`() throws {
        // Each place of the text has a state of its own.
        let flags = RegexParser.Flags(ignoresCase: false, dotTakesNewline: true)
        let node = try RegexParser.parse("a[abd]{40}(b)", flags: flags).node
        let program = try RegexProgram(node, takesStrayBytes: true, slots: [1: 0])
        var generator = SplitMix(seed: 1)
        let text = (0..<9_000).map { _ in Array("abddddddd".utf8).pick(&generator) }
        var results: [[Range<Int>]] = []
        for memoryByteCountMax in [0, 100_000, 100 << 20] {
            var walker = RegexWalker(
                program, slotCount: 2, memoryByteCountMax: memoryByteCountMax)
            results.append(matches(of: &walker, in: text))
        }
        let expected = text.indices.dropLast(41).filter { index in
            text[index] == 0x61 && text[index + 41] == 0x62
        }
        #expect(results[0].count > 5)
        #expect(results[0].allSatisfy { expected.contains($0.lowerBound) && $0.count == 42 })
        #expect(results[0].first?.lowerBound == expected.first)
        #expect(results[1] == results[0])
        #expect(results[2] == results[0])
    }

    private func matches(of walker: inout RegexWalker, in text: [UInt8]) -> [Range<Int>] {
        let span = text.span
        guard walker.read(span) else { return [] }
        var matches: [Range<Int>] = []
        while let match = walker.match(
            from: matches.last?.upperBound ?? 0, mustTake: false, in: span)
        {
            matches.append(match)
            guard let group = walker.capture(slot: 0) else { return [] }
            #expect(group == (match.upperBound - 1)..<match.upperBound)
        }
        return matches
    }
}
