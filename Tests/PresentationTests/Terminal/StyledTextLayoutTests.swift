import ProxydPresentation
import Testing

struct StyledTextLayoutTests {
    @Test func `control and bidirectional characters in a styled line are shown as escapes`() {
        let line = StyledText("a\u{1B}[31m", .key) + "\n\t\u{202E}"
        #expect(line.safeText == "a\\x1B[31m\\n\\t\\u{202E}")
        #expect(line.columnCount == 21)
    }

    @Test func `tab stops are counted from where the tabbed text starts`() {
        var line = StyledText("key: ")
        line.appendTabbed("a\tb\n")
        #expect(line.safeText == "key: a       b\\n")
        var bytes = StyledText()
        bytes.appendTabbed([0x61, 0xFF, 0x09, 0x62][...])
        #expect(bytes.safeText == "a\\xFF   b")
    }

    @Test func `continuation rows of a wrapped line are indented where the width leaves room`() {
        var line = StyledText()
        line.appendIndent(2)
        line.append("abcdefgh", .key)
        line.append("ijkl")
        #expect(line.rows(width: 8).map(\.text) == ["  abcdef", "    ghij", "    kl"])
        #expect(line.rows(width: 6).map(\.text) == ["  abcd", "efghij", "kl"])
        #expect(line.rowCount(width: 8) == 3)
        #expect(line.rowCount(width: 14) == 1)
        #expect(line.rows(width: 0).map(\.text) == ["  abcdefghijkl"])
        #expect(line.rows(width: 8)[1].runs.map(\.style) == [.plain, .key, .plain])
    }

    @Test func `wide characters are never cut in two`() {
        let line: StyledText = "日本語"
        #expect(line.rows(width: 3).map(\.text) == ["日", "本", "語"])
        #expect(line.row(from: 1).text == " 本語")
        #expect(line.fitted(to: 4).text == "日…")
        #expect(line.fitted(to: 6).text == "日本語")
        #expect(StyledText("e\u{301}f").row(from: 1).text == "f")
    }

    @Test func `a styled line cut to a width keeps its styles and ends with an ellipsis`() {
        let line = StyledText("abc", .bad) + "def" + "g"
        #expect(line.fitted(to: 6).text == "abcde…")
        #expect(line.fitted(to: 3).runs.map(\.style) == [.bad, .plain])
        #expect(line.fitted(to: 1).text == "…")
    }
}
