import Testing

@testable import ProxydTUI

struct CanvasTests {
    private func drawn(_ columns: Int, _ rows: Int, _ draw: (Canvas) -> Void) -> Screen {
        Screen.drawn(Size(columns: columns, rows: rows), draw)
    }

    @Test func `text that is too long is cut at the edge of the canvas`() {
        let screen = drawn(5, 1) { $0.draw("abcdefgh", row: 0) }
        #expect(screen.text == "abcde")
    }

    @Test func `a wide character that does not fit completely is not drawn`() {
        let screen = drawn(5, 1) { $0.draw("日本語", row: 0) }
        #expect(screen.text == "日本")
        #expect(screen[1, 0].isContinuation)
        #expect(screen[4, 0] == .blank)
    }

    @Test func `drawing over half of a wide character clears its other half`() {
        let left = drawn(4, 1) {
            $0.draw("日本", row: 0)
            $0.draw("x", column: 1, row: 0)
        }
        #expect(left.text == " x本")
        let right = drawn(4, 1) {
            $0.draw("日本", row: 0)
            $0.draw("x", column: 0, row: 0)
        }
        #expect(right.text == "x 本")
    }

    @Test func `combining marks share the terminal cell of their base character`() {
        let screen = drawn(4, 1) { $0.draw("e\u{301}a", row: 0) }
        #expect(screen[0, 0].character == "e\u{301}")
        #expect(screen[1, 0].character == "a")
    }

    @Test func `drawing in a part of the canvas is clipped to that part`() {
        let screen = drawn(6, 2) {
            $0.fill(".")
            $0.part(column: 2, row: 1, columns: 2, rows: 5).draw("abcdef", row: 0)
        }
        #expect(screen.text == "......\n..ab..")
    }

    @Test func `control characters are drawn as escapes and never put into a terminal cell`() {
        let screen = drawn(40, 1) { $0.draw("a\u{1B}[2Jb\u{9B}c\u{202E}d\u{200B}e\n", row: 0) }
        #expect(screen.text == "a\\x1B[2Jb\\u{9B}c\\u{202E}d\\u{200B}e\\n")
    }
}
