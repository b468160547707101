import ProxydPresentation
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
