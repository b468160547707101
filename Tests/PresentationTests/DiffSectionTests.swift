import ProxydPresentation
import ProxydTestSupport
import Testing

struct DiffSectionTests {
    private func section(_ old: [StyledText], _ new: [StyledText]) throws -> DiffSection {
        DiffSection("Body", try DiffSection.compare(old, new) { false })
    }

    @Test func `a diff compares lines by their text and ignores their styles`() throws {
        let section = try section(
            [StyledText("a", .key), "b", "c"], [StyledText("a", .bad), "x", "c"])
        #expect(section.lines.map { $0.sign + $0.text.text } == [" a", "-b", "+x", " c"])
        #expect(section.removedCount == 1 && section.addedCount == 1)
        #expect(section.lines[1].background == .removed)
        #expect(try self.section(["a"], ["a"]).isEqual)
    }

    @Test func `a diff shows lines that differ only in a control character as different`() throws {
        #expect(try !section(["a\u{1B}"], ["a"]).isEqual)
    }

    @Test func `a diff collapses equal lines far from a difference into their count`() throws {
        let equal = (0..<20).map { StyledText("\($0)") }
        let lines = try section(equal, equal + ["new"]).shortened
        #expect(
            lines.map { $0.sign + $0.text.text }
                == ["⋯17 equal lines", " 17", " 18", " 19", "+new"])
    }

    /// The texts of a line that are set off.
    private func marked(_ line: StyledText) -> [String] {
        line.runs.filter { $0.style.attributes.contains(.underline) }.map(\.text)
    }

    @Test func `a diff marks the words in which a changed line differs`() throws {
        let lines = try section(
            ["same", StyledText("price: ", .key) + StyledText("12.50 EUR", .number)],
            ["same", StyledText("price: ", .key) + StyledText("12.75 USD now", .number)]
        ).lines
        #expect(lines.map(\.text.text) == ["same", "price: 12.50 EUR", "price: 12.75 USD now"])
        #expect(marked(lines[1].text) == ["50", "EUR"])
        #expect(marked(lines[2].text) == ["75", "USD now"])
        #expect(lines[2].text.runs.map(\.style.foreground).last == .number)
    }

    @Test func `a diff marks changed words at line ends, next to non-Latin text and across styles`()
        throws
    {
        let old = StyledText("naïve ", .key) + StyledText("日本語 é end", .string)
        let new = StyledText("clever ", .key) + StyledText("日本語 é 🎉", .string)
        let lines = try section([old], [new]).lines
        #expect(marked(lines[0].text) == ["naïve", "end"])
        #expect(marked(lines[1].text) == ["clever", "🎉"])
        #expect(lines.map(\.text.text) == [old.text, new.text])
    }

    @Test
    func `in a diff, the unmarked words of a changed line are the same in the old and new line`()
        throws
    {
        var random = SplitMix(seed: 77)
        let words = ["a", "b", "名", " ", "  ", ",", "é", "e\u{301}", "🎉", "_x", "\"", "1"]
        for _ in 0..<500 {
            func line() -> StyledText {
                (0..<8).reduce(into: StyledText()) { line, _ in
                    line.append(words.pick(&random), Style([.key, .plain].pick(&random)))
                }
            }
            let (old, new) = (line(), line())
            let lines = try section([old], [new]).lines
            guard lines.count == 2 else {
                #expect(old.text == new.text)
                continue
            }
            #expect(lines.map(\.text.text) == [old.text, new.text])
            guard lines.contains(where: { !marked($0.text).isEmpty }) else { continue }
            let rest = lines.map { line in
                line.text.runs.filter { !$0.style.attributes.contains(.underline) }
                    .map(\.text).joined()
            }
            #expect(rest[0] == rest[1], "\(old.text) | \(new.text)")
        }
    }

    @Test func `a diff marks no words in lines with little in common or without a counterpart`()
        throws
    {
        let lines = try section(["alpha beta gamma"], ["one two three"]).lines
        #expect(lines.flatMap { marked($0.text) } == [])
        let uneven = try section(["a b c"], ["a b d", "a b e"]).lines
        #expect(uneven.flatMap { marked($0.text) } == [])
    }

    @Test func `a cancelled comparison of bodies throws CancellationError`() {
        #expect(throws: CancellationError.self) {
            try DiffSection.compare(["a"], ["b"]) { true }
        }
        let bytes = Array("{}".utf8)
        #expect(throws: CancellationError.self) {
            try BodyLines(BodyFacts(contentType: nil, bytes: bytes), LoadedBody(bytes)) { true }
        }
    }

    @Test
    func `a diff compares formatted bodies and says if only the start of a body was compared`()
        throws
    {
        let bodies = try [#"{"a":1,"b":[2]}"#, #"{"a":1,"b":[3]}"#].map { text in
            let bytes = Array(text.utf8)
            return try BodyLines(
                BodyFacts(contentType: "application/json", bytes: bytes), LoadedBody(bytes)
            ) { false }
        }
        var cut = bodies[1]
        cut.isCut = true
        let lines = try DiffSection.compare([bodies[0], cut], called: ["left", "right"]) { false }
        let text = lines.map { $0.sign + $0.text.text }
        #expect(text.contains(" body as json text"))
        #expect(text.contains("-    2") && text.contains("+    3"))
        #expect(text.last == " the right body is longer: only its start was compared")
    }
}
