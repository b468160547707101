internal import ProxydPresentation
internal import Glibc

/// Maps meanings to terminal colours: numbers of the 256 or 16 colours, -1 for the default colour.
struct Theme: Sendable, Equatable {
    enum Depth: Sendable, Hashable { case none, sixteen, many }

    enum Background: Sendable, Hashable { case dark, light }

    let depth: Depth
    let terminalBackground: Background

    init(colourCount: Int, terminalBackground: Background = .dark) {
        depth = colourCount >= 256 ? .many : colourCount >= 8 ? .sixteen : .none
        isBright = colourCount >= 16
        self.terminalBackground = terminalBackground
    }

    private let isBright: Bool

    private var palette: ThemePalette { terminalBackground == .dark ? .dark : .light }

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

    func background(_ role: Style.Role) -> Int {
        guard depth != .none else { return -1 }
        return number(ThemePalette.isFilled(role) ? palette.behind(role) : palette.letters(role))
    }

    /// Attributes that replace colours which the terminal does not have.
    func attributes(_ style: Style) -> Style.Attributes {
        if depth == .none, style.background != .plain { return style.attributes.union(.reverse) }
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

/// The requested theme.
public enum ThemeChoice: Sendable {
    case light, dark
    /// The theme that suits the terminal's background.
    case auto
}

/// The colours of a theme: of the 256, and of the first 16 if there are no more.
struct ThemePalette: Sendable {
    typealias Colour = (many: Int, few: Int)

    /// The minimum contrast of coloured text on a background set by the theme (WCAG 2.2 §1.4.11).
    static let contrastMin = 3.0

    private let terminalBackground: Theme.Background

    static let dark = ThemePalette(terminalBackground: .dark)
    static let light = ThemePalette(terminalBackground: .light)

    /// Whether a role is a background of its own colour, with its own text colour.
    static func isFilled(_ role: Style.Role) -> Bool {
        switch role {
        case .bar, .selection, .match, .added, .removed: true
        default: false
        }
    }

    func behind(_ role: Style.Role) -> Colour {
        let isDark = terminalBackground == .dark
        return switch role {
        case .bar: isDark ? (236, 0) : (254, 7)
        case .selection: isDark ? (24, 4) : (153, 6)
        case .match: isDark ? (136, 3) : (222, 3)
        case .added: isDark ? (22, 2) : (194, 2)
        case .removed: isDark ? (52, 1) : (224, 1)
        default: (-1, -1)
        }
    }

    /// The colour of plain text on a background set by the theme.
    func ink(on role: Style.Role) -> Colour {
        guard terminalBackground == .dark else { return (16, role == .removed ? 15 : 0) }
        return switch role {
        case .match: (16, 0)
        case .added: (255, 0)
        default: (255, 15)
        }
    }

    /// Text colours on the terminal's default background.
    func letters(_ role: Style.Role) -> Colour {
        let isDark = terminalBackground == .dark
        return switch role {
        case .plain, .heading, .bar, .selection, .match: (-1, -1)
        case .dim, .punctuation, .comment: isDark ? (245, 8) : (241, 8)
        case .accent, .key, .attribute: isDark ? (80, 6) : (24, 4)
        case .good, .success, .string, .added: isDark ? (114, 2) : (22, 2)
        case .notice, .redirection: isDark ? (110, 4) : (25, 4)
        case .warning, .clientError, .escape: isDark ? (214, 3) : (94, 5)
        case .bad, .serverError, .removed: isDark ? (203, 1) : (124, 1)
        case .informational, .keyword, .tag: isDark ? (176, 5) : (90, 5)
        case .number: isDark ? (222, 3) : (58, 5)
        case .scale1: isDark ? (246, 8) : (241, 8)
        case .scale2: isDark ? (151, 2) : (22, 2)
        case .scale3: isDark ? (222, 3) : (58, 4)
        case .scale4: isDark ? (214, 11) : (94, 5)
        case .scale5: isDark ? (203, 1) : (124, 1)
        case .dns: isDark ? (117, 6) : (31, 6)
        case .connect: isDark ? (214, 3) : (130, 3)
        case .tls: isDark ? (176, 5) : (90, 5)
        case .send: isDark ? (110, 4) : (25, 4)
        case .wait: isDark ? (114, 2) : (28, 2)
        case .receive: isDark ? (75, 12) : (27, 12)
        }
    }
}

/// The terminal's background, as reported by itself (OSC 11) or by the environment.
enum TerminalBackground {
    /// Queries the background colour. Every terminal answers the DA1 query after it, which shows
    /// when no answer to the first will come.
    static let question = "\u{1B}]11;?\u{1B}\\\u{1B}[c"

    /// Parses an answer without `ESC ]` and its end: `11;rgb:ffff/ffff/ffff`; otherwise nil.
    static func background(answer: some Sequence<UInt8>) -> Theme.Background? {
        let text = String(decoding: Array(answer), as: UTF8.self)
        for kind in ["11;rgb:", "11;rgba:"] where text.hasPrefix(kind) {
            let shares = text.dropFirst(kind.count).split(separator: "/").prefix(3).map(share)
            guard shares.count == 3, let red = shares[0], let green = shares[1],
                let blue = shares[2]
            else { return nil }
            // Black and white text are equally readable on a luminance of 0.18.
            let colour = XtermColour(red: red, green: green, blue: blue)
            return colour.luminance > 0.18 ? .light : .dark
        }
        return nil
    }

    /// Parses `COLORFGBG`: `0;15` or `0;default;15`, background last; nil if it names none.
    static func background(environment value: String?) -> Theme.Background? {
        guard let last = value?.split(separator: ";").last, let number = Int(last),
            (0..<16).contains(number)
        else { return nil }
        // 8 is dark grey, 7 light grey.
        return number < 7 || number == 8 ? .dark : .light
    }

    /// One to four hexadecimal digits as a fraction of the maximum.
    private static func share(_ digits: Substring) -> Double? {
        guard (1...4).contains(digits.count), let value = UInt32(digits, radix: 16) else {
            return nil
        }
        return Double(value) / Double((UInt32(1) << (4 * UInt32(digits.count))) - 1)
    }
}

/// One of the colours 16 to 255, which are the same on every terminal with 256 colours.
struct XtermColour: Sendable, Hashable {
    /// The components, from 0 to 1.
    let red: Double
    let green: Double
    let blue: Double

    init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Creates the colour with a number; black if it is not one of these.
    init(_ number: Int) {
        if number >= 232 {
            let grey = Double(8 + 10 * (min(number, 255) - 232)) / 255
            self.init(red: grey, green: grey, blue: grey)
            return
        }
        let steps: [Double] = [0, 95, 135, 175, 215, 255]
        let place = max(0, number - 16)
        self.init(
            red: steps[place / 36 % 6] / 255, green: steps[place / 6 % 6] / 255,
            blue: steps[place % 6] / 255)
    }

    /// The brightness from 0 to 1 (relative luminance, WCAG 2.2).
    var luminance: Double {
        func linear(_ value: Double) -> Double {
            value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast ratio, from 1 (none) to 21.
    func contrast(_ other: XtermColour) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }
}
