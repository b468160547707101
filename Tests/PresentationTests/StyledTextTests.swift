import ProxydPresentation
import ProxydTerminalText
import ProxydTestSupport
import Testing

struct StyledTextTests {
    @Test func `styled text keeps control characters as they are`() {
        var line = StyledText("a\u{1B}[31m", .key)
        line.append("\tb\u{202E}")
        #expect(line.text == "a\u{1B}[31m\tb\u{202E}")
        #expect(line.runs.map(\.style) == [.key, .plain])
    }

    @Test func `bytes that are not valid UTF-8 become escapes in a style of their own`() {
        let escape = Style(.escape)
        var line = StyledText()
        line.append([0x61, 0xFF, 0x0A, 0xC3, 0xA9, 0xC3][...], .string)
        #expect(line.text == "a\\xFF\n\u{E9}\\xC3")
        #expect(line.runs.map(\.style) == [.string, escape, .string, escape])
        var cut = StyledText()
        cut.append([0xE2, 0x82, 0x09, 0xF0][...])
        #expect(cut.text == "\\xE2\\x82\t\\xF0")
    }

    @Test func `256 KiB of invalid UTF-8 become escapes in styled text`() {
        var line = StyledText()
        line.append([UInt8](repeating: 0xFF, count: 1 << 18)[...])
        #expect(line.text.utf8.count == 4 << 18)
    }

    @Test func `appending empty text adds no runs to a styled line`() {
        var line = StyledText("")
        line.append([][...])
        line.appendTabbed("")
        line.appendIndent(0)
        #expect(line == StyledText())
    }

    @Test func `styled lines can be indented, marked and joined`() {
        var line = StyledText("x", .good)
        line.fold = .closed
        let indented = line.indented(by: 4).indented(by: 2)
        #expect(indented.text == "      x")
        #expect(indented.indent == 6)
        let marked = line.marked("+", on: .added)
        #expect(marked.text == "+ x")
        #expect(marked.tint == .added)
        #expect(("a" + line).text == "ax")
        #expect((line + "a").fold == .closed)
    }

    @Test func `a deeply nested line is indented by at most 80 columns`() {
        var deep = StyledText()
        deep.appendLevel(1_000_000)
        #expect(deep.text.utf8.count == 80)
    }
}

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

/// What holds for every text, however a terminal is sized.
struct LayoutInvariantTests {
    private static let pieces = [
        "a", "Zz", " ", "\t", "\n", "\u{1B}[31m", "日", "é", "e\u{301}", "😀", "👨‍👩‍👧", "\u{202E}",
        "\u{0}", "\u{FE0F}", "ﬀ", "\u{200B}",
    ]

    private func line(_ random: inout SplitMix) -> StyledText {
        var line = StyledText()
        if Bool.random(using: &random) { line.appendIndent(Int.random(in: 0...4, using: &random)) }
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let text = Self.pieces.pick(&random)
            if Bool.random(using: &random) {
                line.append(text, [Style.plain, .key, .bad].pick(&random))
            } else {
                line.appendTabbed(text)
            }
        }
        return line
    }

    @Test
    func `wrapping a line loses no text, and only a single wide character can exceed the width`() {
        var random = SplitMix(seed: 4)
        for _ in 0..<3_000 {
            let line = line(&random)
            let width = Int.random(in: 1...12, using: &random)
            let rows = line.rows(width: width, hanging: 0)
            #expect(rows.map(\.text).joined() == line.safeText)
            for row in rows {
                #expect(row.columnCount <= max(width, 2), "\(row.text) in \(width)")
            }
            #expect(line.rowCount(width: width) <= max(1, line.columnCount))
        }
    }

    @Test
    func `a line that is too wide is cut and ends with an ellipsis; one that fits is unchanged`() {
        var random = SplitMix(seed: 5)
        for _ in 0..<3_000 {
            let line = line(&random)
            let columns = Int.random(in: 1...12, using: &random)
            let fitted = line.fitted(to: columns)
            #expect(fitted.columnCount <= columns, "\(fitted.text) in \(columns)")
            if line.columnCount > columns {
                #expect(fitted.safeText.hasSuffix("…"))
                #expect(line.safeText.hasPrefix(String(fitted.safeText.dropLast())))
            } else {
                #expect(fitted.safeText == line.safeText)
            }
        }
    }

    @Test func `a line scrolled sideways loses exactly the columns scrolled past`() {
        var random = SplitMix(seed: 6)
        for _ in 0..<3_000 {
            let line = line(&random)
            let left = Int.random(in: 0...12, using: &random)
            let row = line.row(from: left)
            #expect(row.columnCount == max(0, line.columnCount - left), "\(line.safeText) \(left)")
            #expect(line.safeText.hasSuffix(row.text.drop { $0 == " " }))
        }
    }
}
