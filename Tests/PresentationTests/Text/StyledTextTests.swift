import ProxydPresentation
import Testing

struct StyledTextTests {
    @Test func `text is kept as it came, control characters and all`() {
        var line = StyledText("a\u{1B}[31m", .key)
        line.append("\tb\u{202E}")
        #expect(line.text == "a\u{1B}[31m\tb\u{202E}")
        #expect(line.runs.map(\.style) == [.key, .plain])
    }

    @Test func `bytes that are no UTF-8 become escapes that stand out`() {
        let escape = Style(.escape)
        var line = StyledText()
        line.append([0x61, 0xFF, 0x0A, 0xC3, 0xA9, 0xC3][...], .string)
        #expect(line.text == "a\\xFF\n\u{E9}\\xC3")
        #expect(line.runs.map(\.style) == [.string, escape, .string, escape])
        var cut = StyledText()
        cut.append([0xE2, 0x82, 0x09, 0xF0][...])
        #expect(cut.text == "\\xE2\\x82\t\\xF0")
    }

    @Test func `many bytes that are no UTF-8 takes one pass`() {
        var line = StyledText()
        line.append([UInt8](repeating: 0xFF, count: 1 << 18)[...])
        #expect(line.text.utf8.count == 4 << 18)
    }

    @Test func `a line without text has no pieces`() {
        var line = StyledText("")
        line.append([][...])
        line.appendTabbed("")
        line.appendIndent(0)
        #expect(line == StyledText())
    }

    @Test func `lines are indented, marked and joined`() {
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

    @Test func `levels beyond any screen are not indented further`() {
        var deep = StyledText()
        deep.appendLevel(1_000_000)
        #expect(deep.text.utf8.count == 80)
    }
}
