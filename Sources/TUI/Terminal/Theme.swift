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
        let (letters, behind) = (style.foreground, style.background)
        guard ThemePalette.isFilled(behind) else { return number(palette.letters(letters)) }
        let ink = number(palette.ink(on: behind))
        // Users may have redefined the sixteen colours.
        guard depth == .many, palette.letters(letters).many >= 0 else { return ink }
        let wanted = palette.letters(letters).many
        let contrast = XtermColour(wanted).contrast(XtermColour(palette.behind(behind).many))
        return contrast >= ThemePalette.contrastMin ? wanted : ink
    }

    /// The colour behind the letters.
    func background(_ role: Style.Role) -> Int {
        guard depth != .none else { return -1 }
        return number(
            ThemePalette.isFilled(role) ? palette.behind(role) : palette.letters(role))
    }

    /// Attributes that replace colours which the terminal does not have.
    func attributes(_ style: Style) -> Style.Attributes {
        if depth == .none, style.background != .plain {
            return style.attributes.union(.reverse)
        }
        // Faint letters on a background of ours are hard to read.
        guard depth == .sixteen, ThemePalette.isFilled(style.background) else {
            return style.attributes
        }
        return style.attributes.subtracting(.dim)
    }

    private func number(_ colour: ThemePalette.Colour) -> Int {
        switch depth {
        case .none: -1
        case .many: colour.many
        case .sixteen: isBright || colour.few < 0 ? colour.few : colour.few & 7
        }
    }
}
