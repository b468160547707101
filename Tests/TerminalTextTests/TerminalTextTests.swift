import Foundation
import Testing

@testable import ProxydTerminalText

@Suite struct TerminalTextTests {
    private func clean(_ text: String) -> String { TerminalText.sanitize(text) }

    @Test func `the terminal sanitizer leaves printable text unchanged`() {
        for text in ["", "GET /a?b=c", "café", "日本語", "😀", "a\\n", "e\u{301}", "שלום", "\u{A0}"] {
            #expect(clean(text) == text)
            #expect(TerminalText.sanitize(Array(text.utf8)) == text)
        }
    }

    @Test(arguments: [
        ("a\u{1B}]0;title\u{7}b", #"a\x1B]0;title\x07b"#), ("\u{1B}[31mred", #"\x1B[31mred"#),
        ("a\r\n\tb\0", #"a\r\n\tb\x00"#), ("\u{7F}", #"\x7F"#), ("\u{9B}31m", #"\u{9B}31m"#),
        ("\u{85}", #"\u{85}"#), ("\u{202E}gpj.exe", #"\u{202E}gpj.exe"#),
        ("\u{2066}x\u{2069}", #"\u{2066}x\u{2069}"#), ("a\u{200B}b", #"a\u{200B}b"#),
        ("\u{200D}", #"\u{200D}"#), ("\u{FEFF}x", #"\u{FEFF}x"#), ("\u{AD}", #"\u{AD}"#),
        ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#), ("\u{E000}", #"\u{E000}"#),
        ("\u{FFFE}\u{10FFFF}", #"\u{FFFE}\u{10FFFF}"#), ("\u{378}", #"\u{378}"#),
        ("\u{E0041}", #"\u{E0041}"#), ("❤\u{FE0F}", #"❤\u{FE0F}"#), ("\u{3164}", #"\u{3164}"#),
        ("\u{61C}\u{200E}\u{200F}", #"\u{61C}\u{200E}\u{200F}"#),
    ])
    func `control, invisible, private-use and unassigned characters are shown as escapes`(
        text: String, shown: String
    ) {
        #expect(clean(text) == shown)
        #expect(TerminalText.sanitize(Array(text.utf8)) == shown)
    }

    @Test(
        arguments: [
            ([0x61, 0xFF, 0x62], #"a\xFFb"#), ([0x9B, 0x33, 0x31, 0x6D], #"\x9B31m"#),
            ([0xC2, 0x9B], #"\u{9B}"#), ([0xC0, 0x9B], #"\xC0\x9B"#), ([0xE2, 0x82], #"\xE2\x82"#),
            ([0xED, 0xA0, 0x80], #"\xED\xA0\x80"#), ([0xC3, 0xA9, 0xC3], #"é\xC3"#),
            ([0xF4, 0x90, 0x80, 0x80, 0x1B], #"\xF4\x90\x80\x80\x1B"#),
        ] as [([UInt8], String)]
    )
    func `bytes that are not valid UTF-8 are shown as escapes`(bytes: [UInt8], shown: String) {
        #expect(TerminalText.sanitize(bytes) == shown)
        #expect(TerminalText.sanitize(bytes.span) == shown)
    }

    @Test func `sanitized multi-line text keeps its line feeds, and its tabs become spaces`() {
        func lines(_ text: String) -> String { TerminalText.sanitize(text, layout: .multiLine) }
        #expect(lines("a\nb\r\nc") == "a\nb\nc")
        #expect(lines("a\rb\r") == #"a\rb\r"#)
        #expect(lines("\r\r\n") == "\\r\n")
        #expect(lines("a\tb\n\tc\t\td") == "a       b\n        c               d")
        #expect(lines("日本\tx") == "日本    x")
        #expect(lines("\u{1B}c\n\u{B}") == "\\x1Bc\n\\x0B")
        #expect(TerminalText.sanitize([0x0A, 0xFF, 0x09], layout: .multiLine) == "\n\\xFF    ")
    }

    @Test func `combining marks without a base, or beyond the fourth, are shown as escapes`() {
        #expect(clean("\u{301}a") == #"\u{301}a"#)
        let mark = "\u{301}"
        let shown = clean("a" + String(repeating: mark, count: 6))
        #expect(shown.unicodeScalars.filter { $0 == "\u{301}" }.count == 4)
        #expect(shown.hasSuffix(#"\u{301}\u{301}"#))
        #expect(clean("\n\u{301}") == #"\n\u{301}"#)
        #expect(clean("한") == "한")
    }

    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("😀", 2), ("ｱ", 1), ("Ａ", 2),
        ("…", 1), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{20000}", 2), ("a\u{A0}b", 3),
    ])
    func `the display width of a wide character is two columns, and of a combining mark none`(
        text: String, width: Int
    ) {
        #expect(TerminalText.displayWidth(text) == width)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("abcd", 0, ""), ("a", -1, ""),
        ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("e\u{301}xyz", 2, "e\u{301}…"),
        ("", 0, ""),
    ])
    func `text wider than its limit is cut and ends with an ellipsis`(
        text: String, width: Int, fitted: String
    ) {
        #expect(TerminalText.fitted(text, to: width) == fitted)
    }

    @Test func `padded text takes exactly the given width`() {
        #expect(TerminalText.padded("日本語", to: 4) == "日… ")
        #expect(TerminalText.padded("a", to: 3) == "a  ")
        for width in 0...9 {
            #expect(
                TerminalText.displayWidth(TerminalText.padded("日本x語e\u{301}", to: width)) == width
            )
        }
    }

    /// The invariant everything else rests on.
    private func isSafe(_ text: String, _ layout: TerminalText.Layout) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            if scalar == "\n" { return layout == .multiLine }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
                .surrogate:
                return false
            default:
                return !scalar.properties.isDefaultIgnorableCodePoint
            }
        }
    }

    @Test
    func `no Unicode character leaves the terminal sanitizer as a control or invisible character`()
    {
        let leaked = (UInt32(0)...0x10FFFF).filter { value in
            guard let scalar = Unicode.Scalar(value) else { return false }
            return !isSafe(TerminalText.sanitize(String(scalar)), .singleLine)
        }
        #expect(leaked.isEmpty)
    }

    @Test
    func `sanitized random bytes contain no control characters, and sanitizing is idempotent`() {
        var state: UInt64 = 42
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let starts: [UInt8] = [0x1B, 0x9B, 0xC2, 0xE2, 0x80, 0x0A, 0x0D, 0x61, 0xF0, 0xCC, 0x81]
        for round in 0..<5_000 {
            let bytes = (0..<(next() % 40)).map { _ in
                next() % 2 == 0
                    ? UInt8(truncatingIfNeeded: next()) : starts[Int(next() % UInt64(starts.count))]
            }
            let layout: TerminalText.Layout = round % 2 == 0 ? .singleLine : .multiLine
            let shown = TerminalText.sanitize(bytes, layout: layout)
            #expect(isSafe(shown, layout))
            #expect(TerminalText.sanitize(shown, layout: layout) == shown)
        }
    }

    private static let naughtyStrings: URL? = {
        var directory = URL(filePath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let file = directory.appending(path: "../shared/vectors/strings/blns.json").standardized
            if FileManager.default.fileExists(atPath: file.path) { return file }
            directory = directory.deletingLastPathComponent()
        }
        return nil
    }()

    @Test(.enabled(if: naughtyStrings != nil))
    func `the strings of the Big List of Naughty Strings are safe to print after sanitizing`()
        throws
    {
        let file = try #require(TerminalTextTests.naughtyStrings)
        let strings = try JSONDecoder().decode([String].self, from: Data(contentsOf: file))
        #expect(strings.count > 500)
        for text in strings {
            for layout in [TerminalText.Layout.singleLine, .multiLine] {
                #expect(isSafe(TerminalText.sanitize(text, layout: layout), layout))
            }
            let line = TerminalText.sanitize(text)
            #expect(TerminalText.displayWidth(TerminalText.fitted(line, to: 20)) <= 20)
        }
    }
}

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
