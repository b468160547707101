internal import ProxydPresentation

/// Maps meanings to terminal colours: numbers of the 256 or 16 colours, -1 for the default colour.
struct Theme: Sendable, Equatable {
    /// How many colours the terminal has.
    enum Depth: Sendable, Hashable {
        case none, sixteen, many
    }

    /// The background of the terminal.
    enum Paper: Sendable, Hashable {
        case dark, light
    }

    let depth: Depth
    let paper: Paper

    init(colourCount: Int, paper: Paper = .dark) {
        depth = colourCount >= 256 ? .many : colourCount >= 8 ? .sixteen : .none
        isBright = colourCount >= 16
        self.paper = paper
    }

    private let isBright: Bool

    private var palette: ThemePalette { paper == .dark ? .dark : .light }

    /// The text colour. On a background set by the theme it is never the terminal's default, which
    /// could be any colour, and never one that is hard to read there.
    func foreground(_ style: Style) -> Int {
        guard depth != .none else { return -1 }
        guard case .role(let letters) = style.foreground else { return colour(style.foreground) }
        guard case .role(let behind) = style.background, ThemePalette.isFilled(behind) else {
            return colour(style.foreground)
        }
        let ink = number(palette.ink(on: behind))
        // Users may have redefined the sixteen colours.
        guard depth == .many, palette.letters(letters).many >= 0 else { return ink }
        let wanted = palette.letters(letters).many
        let contrast = XtermColour(wanted).contrast(XtermColour(palette.behind(behind).many))
        return contrast >= ThemePalette.contrastMin ? wanted : ink
    }

    /// The background colour.
    func background(_ paint: Style.Paint) -> Int {
        guard depth != .none else { return -1 }
        guard case .role(let role) = paint, role != .plain else { return colour(paint) }
        return number(
            ThemePalette.isFilled(role) ? palette.behind(role) : palette.letters(role))
    }

    /// Attributes that replace colours which the terminal does not have.
    func attributes(_ style: Style) -> Style.Attributes {
        if depth == .none, style.background != .role(.plain) {
            return style.attributes.union(.reverse)
        }
        // Faint text on a background set by the theme is hard to read.
        guard depth == .sixteen, case .role(let role) = style.background,
            ThemePalette.isFilled(role)
        else { return style.attributes }
        return style.attributes.subtracting(.dim)
    }

    private func colour(_ paint: Style.Paint) -> Int {
        switch paint {
        case .role(let role): return number(palette.letters(role))
        case .rgb(let red, let green, let blue):
            return depth == .many
                ? Theme.cube(red, green, blue) : Theme.nearest(red, green, blue, isBright)
        }
    }

    private func number(_ colour: ThemePalette.Colour) -> Int {
        switch depth {
        case .none: -1
        case .many: colour.many
        case .sixteen: isBright || colour.few < 0 ? colour.few : colour.few & 7
        }
    }

    /// The nearest colour of the 6×6×6 cube.
    private static func cube(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
        func step(_ value: UInt8) -> Int {
            value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40
        }
        return 16 + 36 * step(red) + 6 * step(green) + step(blue)
    }

    /// The nearest of the 8 or 16 colours.
    private static func nearest(
        _ red: UInt8, _ green: UInt8, _ blue: UInt8, _ isBright: Bool
    ) -> Int {
        let base = (red > 96 ? 1 : 0) + (green > 96 ? 2 : 0) + (blue > 96 ? 4 : 0)
        return isBright && max(red, green, blue) > 200 ? base + 8 : base
    }
}
