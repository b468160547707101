import ProxydPresentation
import Testing

@testable import ProxydTUI

@Suite struct `Themes` {
    private static let backgrounds: [(Theme.Background, Int)] = [(.dark, 16), (.light, 231)]
    private static let filled: [Style.Role] = [.bar, .selection, .match, .added, .removed]

    @Test(arguments: [Theme.Background.dark, .light], [8, 16, 256])
    func `text on a coloured background never has the default colour or that of the background`(
        _ terminalBackground: Theme.Background, _ colourCount: Int
    ) {
        let theme = Theme(colourCount: colourCount, terminalBackground: terminalBackground)
        for behind in Self.filled {
            #expect(theme.background(behind) >= 0)
            for letters in Style.Role.allCases {
                let style = Style(letters, on: behind)
                #expect(theme.foreground(style) >= 0, "\(letters) on \(behind)")
                #expect(theme.foreground(style) != theme.background(behind))
            }
        }
    }

    @Test(arguments: backgrounds)
    func `every text colour has a contrast of at least 3 with its background`(
        _ terminalBackground: Theme.Background, _ number: Int
    ) {
        let theme = Theme(colourCount: 256, terminalBackground: terminalBackground)
        for letters in Style.Role.allCases {
            let own = theme.foreground(Style(letters))
            // Letters of the terminal's own colour suit its background by themselves.
            if own >= 0 {
                let contrast = XtermColour(own).contrast(XtermColour(number))
                #expect(contrast >= 3, "\(letters) on \(terminalBackground): \(contrast)")
            }
            for behind in Self.filled {
                let contrast = XtermColour(theme.foreground(Style(letters, on: behind)))
                    .contrast(XtermColour(theme.background(behind)))
                #expect(contrast >= 3, "\(letters) on \(behind): \(contrast)")
            }
        }
    }

    @Test func `text without a colour meets the WCAG AA contrast on every coloured background`() {
        for (terminalBackground, _) in Self.backgrounds {
            let theme = Theme(colourCount: 256, terminalBackground: terminalBackground)
            for behind in Self.filled {
                let contrast = XtermColour(theme.foreground(Style(.plain, on: behind)))
                    .contrast(XtermColour(theme.background(behind)))
                #expect(contrast >= 4.5, "\(behind) on \(terminalBackground): \(contrast)")
            }
        }
    }

    private static let answers: [(String, Theme.Background?)] = [
        ("11;rgb:ffff/ffff/ffff", .light), ("11;rgb:0000/0000/0000", .dark),
        ("11;rgb:fd/f6/e3", .light), ("11;rgb:1c1c/2121/2828", .dark), ("11;rgb:f/f/f", .light),
        ("11;rgba:ffff/ffff/ffff/ffff", .light), ("11;rgb:zz/zz/zz", nil), ("11;?", nil),
        ("11;rgb:ffff/ffff", nil), ("10;rgb:ffff/ffff/ffff", nil), ("11;rgb:00000/0/0", nil),
    ]

    @Test(arguments: answers)
    func `the background colour is read from the terminal's reply to a query`(
        _ text: String, _ wanted: Theme.Background?
    ) {
        #expect(TerminalBackground.background(answer: text.utf8) == wanted)
    }

    @Test(arguments: [
        ("0;15", Theme.Background.light), ("15;0", .dark), ("0;default;15", .light),
        ("0;7", .light),
        ("15;8", .dark), ("15;default", nil), ("", nil), ("x", nil), ("0;99", nil),
    ])
    func `the background colour is read from the COLORFGBG environment variable`(
        _ text: String, _ wanted: Theme.Background?
    ) {
        #expect(TerminalBackground.background(environment: text) == wanted)
        #expect(TerminalBackground.background(environment: nil) == nil)
    }
}
