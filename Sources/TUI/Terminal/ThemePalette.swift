internal import ProxydPresentation

/// The colours of a theme: of the 256, and of the first 16 if there are no more.
struct ThemePalette: Sendable {
    typealias Colour = (many: Int, few: Int)

    /// The minimum contrast of coloured text on a background set by the theme (WCAG 2.2 §1.4.11).
    static let contrastMin = 3.0

    private let paper: Theme.Paper

    static let dark = ThemePalette(paper: .dark)
    static let light = ThemePalette(paper: .light)

    /// Whether a role is a background of its own colour, with its own text colour.
    static func isFilled(_ role: Style.Role) -> Bool {
        switch role {
        case .bar, .selection, .match, .added, .removed: true
        default: false
        }
    }

    /// The background colours.
    func behind(_ role: Style.Role) -> Colour {
        let isDark = paper == .dark
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
        guard paper == .dark else { return (16, role == .removed ? 15 : 0) }
        return switch role {
        case .match: (16, 0)
        case .added: (255, 0)
        default: (255, 15)
        }
    }

    /// Text colours on the terminal's default background.
    func letters(_ role: Style.Role) -> Colour {
        paper == .dark ? ThemePalette.bright(role) : ThemePalette.deep(role)
    }

    private static func bright(_ role: Style.Role) -> Colour {
        switch role {
        case .plain, .heading, .bar, .selection, .match: (-1, -1)
        case .dim, .punctuation, .comment: (245, 8)
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

    private static func deep(_ role: Style.Role) -> Colour {
        switch role {
        case .plain, .heading, .bar, .selection, .match: (-1, -1)
        case .dim, .punctuation, .comment: (241, 8)
        case .accent, .key, .attribute: (24, 4)
        case .good, .success, .string, .added: (22, 2)
        case .notice, .redirection: (25, 4)
        case .warning, .clientError, .escape: (94, 5)
        case .bad, .serverError, .removed: (124, 1)
        case .informational, .keyword, .tag: (90, 5)
        case .number: (58, 5)
        case .scale1: (241, 8)
        case .scale2: (22, 2)
        case .scale3: (58, 4)
        case .scale4: (94, 5)
        case .scale5: (124, 1)
        case .dns: (31, 6)
        case .connect: (130, 3)
        case .tls: (90, 5)
        case .send: (25, 4)
        case .wait: (28, 2)
        case .receive: (27, 12)
        }
    }
}
