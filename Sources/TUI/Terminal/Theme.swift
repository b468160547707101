internal import ProxydPresentation

/// Meanings as colours of a terminal: numbers of the 256 or the 16, -1 for the terminal's own.
struct Theme: Sendable, Equatable {
    /// How many colours the terminal has.
    enum Depth: Sendable, Hashable {
        case none, sixteen, many
    }

    /// What the terminal draws on.
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

    /// The colour of the letters. On a background of ours they never have the terminal's own
    /// colour, which may be any, nor one that is hard to read there.
    func foreground(_ style: Style) -> Int {
        guard depth != .none else { return -1 }
        let (letters, behind) = (style.foreground, style.background)
        guard ThemePalette.isFilled(behind) else { return number(palette.letters(letters)) }
        let ink = number(palette.ink(on: behind))
        // The sixteen are whatever the user made of them.
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

    /// What stands in for colours that the terminal does not have.
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
