@testable import ProxydPresentation
import ProxydTestSupport
import Testing

/// What is marked in lines that became others.
struct WordMarkTests {
    private func marks(_ old: String, _ new: String) throws -> [[String]] {
        let lines = try DiffSection.compare([StyledText(old)], [StyledText(new)]) { false }
        return lines.map { line in
            line.text.runs.filter { $0.style.attributes.contains(.underline) }.map(\.text)
        }
    }

    @Test(arguments: [
        ("a b c d", "a b x d", ["c"], ["x"]), ("id=17&x=1", "id=18&x=1", ["17"], ["18"]),
        ("a_b c d e", "a_c c d e", ["a_b"], ["a_c"]), ("x y z", "x y z!", [], ["!"]),
        ("one two three", "one  two three", [" "], ["  "]),
        ("日本 語 a b", "日本 人 a b", ["語"], ["人"]),
        ("caf\u{E9} a b c", "cafe\u{301} a b c", ["caf\u{E9}"], ["cafe\u{301}"]),
        ("\"a\": 1, \"b\": 2", "\"a\": 1, \"b\": 3", ["2"], ["3"]),
    ])
    func `a diff marks whole words that changed`(
        old: String, new: String, removed: [String], added: [String]
    ) throws {
        let marks = try marks(old, new)
        #expect(marks.count == 2)
        // Byte by byte: equivalent texts are equal otherwise.
        #expect(marks.first.map { Array($0.joined().utf8) } == Array(removed.joined().utf8))
        #expect(marks.last.map { Array($0.joined().utf8) } == Array(added.joined().utf8))
    }

    @Test func `a diff marks no words in a changed line with hundreds of words`() throws {
        let long = (0..<600).map { "w\($0)" }.joined(separator: " ")
        #expect(try marks(long, long + " x").allSatisfy(\.isEmpty))
    }

    @Test func `marking changed words in a diff keeps the text and colours of a line`() throws {
        var old = StyledText("key", .key)
        old.append(": ", .punctuation)
        old.append("old value", .string)
        var new = StyledText("key", .key)
        new.append(": ", .punctuation)
        new.append("new value", .string)
        let lines = try DiffSection.compare([old], [new]) { false }
        #expect(lines.map(\.text.text) == ["key: old value", "key: new value"])
        let marked = lines.flatMap(\.text.runs).filter { $0.style.attributes.contains(.bold) }
        #expect(marked.map(\.text) == ["old", "new"])
        #expect(marked.allSatisfy { $0.style.foreground == .string })
    }

    @Test func `a diff marks no words where more lines were added than removed`() throws {
        let lines = try DiffSection.compare(
            ["a b c", "d e f"], ["a b x", "d e y", "g h i"]
        ) { false }
        #expect(lines.map(\.kind) == [.removed, .removed, .added, .added, .added])
        let marked = lines.flatMap(\.text.runs).filter { $0.style.attributes.contains(.underline) }
        #expect(marked.isEmpty)
    }

    @Test
    func `a shortened diff has no context next to headings and says '1 equal line', not 'lines'`()
        throws
    {
        let same = DiffSection.Line(kind: .same, text: "same")
        let added = DiffSection.Line(kind: .added, text: "added")
        let heading = DiffSection.Line(kind: .heading, text: "heading")
        func shortened(_ lines: [DiffSection.Line]) -> [String] {
            DiffSection("", lines).shortened.map { $0.sign + $0.text.text }
        }
        #expect(shortened([]) == [])
        #expect(shortened([heading, same]) == [" heading", "⋯1 equal line"])
        #expect(shortened([same]) == ["⋯1 equal line"])
        let around = Array(repeating: same, count: 4)
        #expect(
            shortened(around + [added] + around).filter { $0.hasPrefix("⋯") }
                == ["⋯1 equal line", "⋯1 equal line"])
        // Seven lines between two differences: six are near one of them.
        let between = [added] + Array(repeating: same, count: 7) + [added]
        #expect(shortened(between).filter { $0.hasPrefix("⋯") } == ["⋯1 equal line"])
        #expect(shortened([added] + Array(repeating: same, count: 6) + [added]).count == 8)
    }
}
