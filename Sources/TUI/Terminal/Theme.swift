/// Meanings as colours of a terminal: numbers of the 256 or the 16, -1 for the terminal's own.
struct Theme: Sendable {
    /// How many colours the terminal has.
    enum Depth: Sendable, Hashable {
        case none, sixteen, many
    }

    let depth: Depth

    init(colourCount: Int) {
        depth = colourCount >= 256 ? .many : colourCount >= 8 ? .sixteen : .none
        isBright = colourCount >= 16
    }

    private let isBright: Bool

    /// The colour of the letters.
    func foreground(_ paint: Style.Paint) -> Int { colour(paint, isBackground: false) }

    /// The colour behind them.
    func background(_ paint: Style.Paint) -> Int { colour(paint, isBackground: true) }

    /// What stands in for colours that the terminal does not have.
    func attributes(_ style: Style) -> Style.Attributes {
        guard depth == .none, style.background != .role(.plain) else { return style.attributes }
        return style.attributes.union(.reverse)
    }

    private func colour(_ paint: Style.Paint, isBackground: Bool) -> Int {
        guard depth != .none else { return -1 }
        switch paint {
        case .role(let role):
            let pair = isBackground ? Theme.behind(role) : Theme.letters(role)
            return depth == .many
                ? pair.many : isBright ? pair.few : pair.few < 0 ? -1 : pair.few & 7
        case .rgb(let red, let green, let blue):
            return depth == .many
                ? Theme.cube(red, green, blue) : Theme.nearest(red, green, blue, isBright)
        }
    }

    private static func behind(_ role: Style.Role) -> (many: Int, few: Int) {
        switch role {
        case .plain: (-1, -1)
        case .bar: (236, 0)
        case .selection: (24, 4)
        case .match: (136, 3)
        case .added: (22, 2)
        case .removed: (52, 1)
        default: letters(role)
        }
    }

    private static func letters(_ role: Style.Role) -> (many: Int, few: Int) {
        switch role {
        case .plain, .bar, .selection, .match: (-1, -1)
        case .dim, .punctuation, .comment: (245, 8)
        case .heading: (255, 15)
        case .accent, .key, .attribute: (80, 6)
        case .good, .success, .string, .added: (114, 2)
        case .notice, .redirection: (110, 4)
        case .warning, .clientError, .escape: (214, 3)
        case .bad, .serverError, .removed: (203, 1)
        case .informational, .keyword, .tag: (176, 5)
        case .number: (222, 3)
        case .scale1: (246, 8)
        case .scale2: (151, 2)
        case .scale3: (222, 3)
        case .scale4: (214, 11)
        case .scale5: (203, 1)
        case .dns: (117, 6)
        case .connect: (214, 3)
        case .tls: (176, 5)
        case .send: (110, 4)
        case .wait: (114, 2)
        case .receive: (75, 12)
        }
    }

    /// The nearest of the 6×6×6 colours.
    private static func cube(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
        func step(_ value: UInt8) -> Int {
            value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40
        }
        return 16 + 36 * step(red) + 6 * step(green) + step(blue)
    }

    /// The nearest of the eight, or of the sixteen.
    private static func nearest(
        _ red: UInt8, _ green: UInt8, _ blue: UInt8, _ isBright: Bool
    ) -> Int {
        let base = (red > 96 ? 1 : 0) + (green > 96 ? 2 : 0) + (blue > 96 ? 4 : 0)
        return isBright && max(red, green, blue) > 200 ? base + 8 : base
    }
}
