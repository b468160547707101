import Testing

@testable import ProxydFilter

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
