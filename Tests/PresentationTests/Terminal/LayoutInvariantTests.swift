import ProxydPresentation
import ProxydTerminalText
import ProxydTestSupport
import Testing

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
    func `wrapping a line loses no text, and rows are too wide only if a single character is`() {
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
    func `a line too wide is cut to a prefix with an ellipsis, and one that fits is unchanged`() {
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
