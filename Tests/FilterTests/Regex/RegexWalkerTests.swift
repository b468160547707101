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

/// How much work finding all matches is: counted, since time proves nothing.
@Suite struct RegexWorkTests {
    /// The work that all matches of a text are, and how many there are.
    private func work(_ pattern: String, _ text: [UInt8]) throws -> (work: Int, stepCount: Int) {
        let flags = RegexParser.Flags(ignoresCase: false, dotTakesNewline: true)
        let node = try RegexParser.parse(pattern, flags: flags).node
        let program = try RegexProgram(node, takesStrayBytes: true, slots: [1: 0])
        var walker = RegexWalker(program, slotCount: 2)
        let span = text.span
        guard walker.read(span) else { return (walker.workCount, program.instructions.count) }
        var (place, mustTake) = (0, false)
        while let match = walker.match(from: place, mustTake: mustTake, in: span) {
            place = match.upperBound
            mustTake = match.isEmpty
        }
        return (walker.workCount, program.instructions.count)
    }

    @Test(arguments: [
        "a.*?z|a", "(a+)+$", "(a*)*b", "(a|aa)+$", "(x+x+)+y", "(.*)(.*)(.*)z", "a(.*z)?",
        "(a.*)*z|a",
        "(a?){20}a{20}", ".*?.*?=.*|.", "(a|b|ab)*c|a",
    ])
    func `finding all regex matches takes work linear in the length of the text`(pattern: String)
        throws
    {
        for unit in ["a", "ab", "axé"] {
            let short = Array(String(repeating: unit, count: 2_000).utf8)
            let one = try work(pattern, short)
            let two = try work(pattern, short + short)
            // Twice the text, twice the work; and each byte costs each step a few looks at most.
            #expect(two.work <= 2 * one.work + 4_096)
            #expect(two.work <= 6 * (2 * short.count + 1) * one.stepCount)
        }
    }

    @Test func `searching a text without a regex match costs less than two steps per byte`() throws
    {
        let text = Array(String(repeating: "ab", count: 2_000).utf8)
        let found = try work("(a.*)z", text)
        #expect(found.work < 2 * text.count)
    }
}
