@testable import ProxydTerminalText
import Testing

/// Lines with tabs, and beginnings of lines that fit.
struct TabbedTextTests {
    @Test(arguments: [
        ("a\tb", 0, "a       b"), ("\t", 0, "        "), ("\t", 7, " "), ("\t", 8, "        "),
        ("1234567\tb", 0, "1234567 b"), ("12345678\tb", 0, "12345678        b"),
        // A wide character takes two columns, a mark none.
        ("\u{65E5}\tb", 0, "\u{65E5}      b"), ("e\u{301}\tb", 0, "e\u{301}       b"),
        // What is shown as an escape counts as long as it is.
        ("\u{1B}\tb", 0, "\\x1B    b"), ("a", 3, "a"),
    ])
    func `a tab advances to the next multiple of 8 columns`(
        _ text: String, _ column: Int, _ wanted: String
    ) {
        #expect(TerminalText.sanitizeTabbed(text, from: column) == wanted)
    }

    @Test(arguments: [
        ("a\tb\nc", "a       b\\nc"), ("a\tb\r\nc", "a       b\\r\\nc"), ("\t\r", "        \\r"),
        ("\r\n\r\n\t", "\\r\\n\\r\\n        "), ("a\nb", "a\\nb"), ("a\r\nb", "a\\r\\nb"),
        ("\t\n\u{301}", "        \\n\u{301}"), ("\t\u{2028}", "        \\u{2028}"),
        ("\t\u{202E}a", "        \\u{202E}a"),
    ])
    func `line breaks in a line with tabs are shown as escapes`(_ text: String, _ wanted: String) {
        let found = TerminalText.sanitizeTabbed(text)
        #expect(
            found.unicodeScalars.elementsEqual(wanted.unicodeScalars), "\(found.debugDescription)")
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "abc"), ("abcdef", 3, "abc"), ("abc", 0, ""), ("", 0, ""),
        ("abc", -5, ""), ("日本語", 4, "日本"), ("日本語", 5, "日本"), ("日本", 3, "日"),
        ("e\u{301}a", 1, "e\u{301}"), ("a日", 1, "a"), ("a日", 2, "a"), ("日", 1, ""),
    ])
    func `a prefix of text takes at most the given number of terminal columns`(
        _ text: String, _ columns: Int, _ wanted: String
    ) {
        let found = TerminalText.prefix(text, columns: columns)
        #expect(found == wanted)
        #expect(TerminalText.displayWidth(found) <= max(0, columns))
    }
}
