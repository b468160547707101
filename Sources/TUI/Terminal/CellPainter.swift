internal import ProxydPresentation
internal import ProxydCNcurses
internal import Glibc

/// Converts cells for the terminal library.
struct CellPainter {
    let theme: Theme
    private var looks: [Style: (attributes: attr_t, pair: Int32)] = [:]

    init(_ theme: Theme) { self.theme = theme }

    mutating func paint(
        _ cell: Cell, width: Int, _ column: Int, _ row: Int, _ window: UnsafeMutablePointer<WINDOW>
    ) {
        let look = look(cell.style)
        var pair = look.pair
        var scalars = cell.character.unicodeScalars.prefix(Int(CCHARW_MAX)).map {
            wchar_t(bitPattern: $0.value)
        }
        if let first = scalars.first, wcwidth(first) != Int32(width) {
            // The C library disagrees about its width, or does not know the character.
            scalars = Array(CellPainter.substitute(first, width).utf8).map { wchar_t($0) }
        }
        for (offset, part) in CellPainter.parts(scalars).enumerated() {
            var cell = cchar_t()
            setcchar(&cell, part + [0], look.attributes, Int16(clamping: pair), &pair)
            wmove(window, Int32(clamping: row), Int32(clamping: column + offset))
            wadd_wch(window, &cell)
        }
    }

    /// A character with its combining marks is one part; substitutes are separate parts.
    private static func parts(_ scalars: [wchar_t]) -> [[wchar_t]] {
        scalars.allSatisfy { $0 < 0x80 } ? scalars.map { [$0] } : [scalars]
    }

    private static func substitute(_ scalar: wchar_t, _ width: Int) -> String {
        switch Unicode.Scalar(UInt32(bitPattern: scalar)) {
        case "─", "━": "-"
        case "│", "┃": "|"
        case "┌", "┐", "└", "┘", "├", "┤", "┬", "┴", "┼": "+"
        case "…": "."
        case "●": "*"
        case "○": "o"
        default: String(repeating: "?", count: width)
        }
    }

    private mutating func look(_ style: Style) -> (attributes: attr_t, pair: Int32) {
        if let known = looks[style] { return known }
        var attributes: attr_t = 0
        let wanted = theme.attributes(style)
        if wanted.contains(.bold) { attributes |= proxyd_bold }
        if wanted.contains(.dim) { attributes |= proxyd_dim }
        if wanted.contains(.underline) { attributes |= proxyd_underline }
        if wanted.contains(.reverse) { attributes |= proxyd_reverse }
        if wanted.contains(.italic) { attributes |= proxyd_italic }
        let foreground = Int32(theme.foreground(style))
        let background = Int32(theme.background(style.background))
        var pair: Int32 = 0
        if theme.depth != .none, foreground >= 0 || background >= 0 {
            pair = max(0, alloc_pair(foreground, background))
        }
        // Pictures have thousands of colour combinations.
        if looks.count > 4_096 { looks = [:] }
        looks[style] = (attributes, pair)
        return (attributes, pair)
    }
}
