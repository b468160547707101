import ProxydTestSupport
import Testing

@testable import ProxydTUI

/// A line of text as it is typed.
struct TextFieldTests {
    /// A field in which the cursor stands at the `|` of a text.
    private func field(_ text: String) -> TextField {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        var field = TextField(parts.joined())
        for _ in 0..<parts[1].count { _ = field.handle(Key(.left)) }
        return field
    }

    /// The text with a `|` where the cursor stands.
    private func text(_ field: TextField) -> String {
        field.head + "|" + field.text.dropFirst(field.head.count)
    }

    @Test(
        arguments: [
            ("ab|c", Key(.left), "a|bc"), ("|ab", Key(.left), "|ab"),
            ("a|b", Key(.right), "ab|"), ("ab|", Key(.right), "ab|"),
            ("a|b", Key(.home), "|ab"), ("a|b", Key(.end), "ab|"),
            ("one two|", .control("w"), "one |"), ("one  |two", .control("w"), "|two"),
            ("one two |", Key(.left, .control), "one |two "),
            ("o|ne two", .alt("f"), "one| two"), ("one| two", .alt("f"), "one two|"),
            ("a|b", Key(.backspace), "|b"), ("|ab", Key(.backspace), "|ab"),
            ("a|b", Key(.delete), "a|"), ("ab|", Key(.delete), "ab|"),
            ("ab|cd", .control("k"), "ab|"), ("ab|cd", .control("u"), "|"),
            ("a|b", Key("é"), "aé|b"), ("a👩‍💻|b", Key(.backspace), "a|b"),
        ] as [(String, Key, String)])
    func `keys in a text field move the cursor or edit the text next to it`(
        before: String, key: Key, after: String
    ) {
        var field = field(before)
        let isHandled = field.handle(key)
        #expect(isHandled)
        #expect(text(field) == after)
    }

    @Test(arguments: [Key.enter, .escape, .tab, Key(.up), Key(.pageDown)])
    func `a text field leaves Enter, Escape, Tab, Up and Page Down unhandled`(key: Key) {
        var field = field("a|b")
        let isHandled = field.handle(key)
        #expect(!isHandled)
        #expect(text(field) == "a|b")
    }

    @Test(arguments: [("a\nb", "a b"), ("a\r\nb\n", "a b"), ("\n\n", ""), ("a\u{2028}b", "a b")])
    func `text with line breaks that is pasted into a text field becomes one line`(
        pasted: String, line: String
    ) {
        var field = TextField()
        field.insert(pasted)
        #expect(field.text == line)
    }

    @Test func `a completion in a text field replaces the characters before the cursor`() {
        var field = field("x sta|tus")
        field.replace(lastCount: 3, by: "status=")
        #expect(text(field) == "x status=|tus")
        field.replace(lastCount: 100, by: "")
        #expect(text(field) == "|tus")
    }

    @Test
    func `the cursor of a text field stays visible, however long the text and narrow the screen`() {
        var random = SplitMix(seed: 8)
        let characters: [Character] = ["a", " ", "日", "é", "👩‍💻", "\u{1B}", "e\u{301}"]
        for columns in [1, 2, 3, 7, 20] {
            var field = TextField()
            for _ in 0..<200 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: _ = field.handle([Key(.left), Key(.home), .alt("b")].pick(&random))
                default: field.insert(String(characters.pick(&random)))
                }
                let screen = Screen.drawn(Size(columns: columns, rows: 1)) {
                    field.draw(into: $0, column: 0, row: 0)
                }
                #expect((0...field.characters.count).contains(field.cursor))
                #expect(screen.cursor != nil, "\(columns): \(text(field))")
            }
        }
    }
}
