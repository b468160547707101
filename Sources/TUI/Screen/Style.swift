/// How a piece of text looks, by what it means; the theme turns meanings into colours.
struct Style: Sendable, Hashable {
    /// A colour by its meaning.
    enum Role: UInt8, Sendable, Hashable, CaseIterable {
        /// The terminal's own colour.
        case plain
        /// What matters less: units, separators, line numbers.
        case dim
        /// Titles and column headings.
        case heading
        /// A link, an address, a name to look for.
        case accent
        case good, notice, warning, bad
        /// Status classes.
        case informational, success, redirection, clientError, serverError
        /// From little to much, on a logarithmic scale.
        case scale1, scale2, scale3, scale4, scale5
        /// Phases of an exchange.
        case dns, connect, tls, send, wait, receive
        /// Syntax of bodies.
        case key, string, number, keyword, punctuation, comment, tag, attribute
        /// Backgrounds: bars, the selected line, a match of a search, added and removed lines.
        case bar, selection, match, added, removed
        /// An escape that stands for what must not reach the terminal.
        case escape
    }

    /// A colour by meaning, or as it is (pictures).
    enum Paint: Sendable, Hashable {
        case role(Role)
        case rgb(UInt8, UInt8, UInt8)
    }

    /// What is done to the letters.
    struct Attributes: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        static let bold = Attributes(rawValue: 1)
        static let dim = Attributes(rawValue: 2)
        static let underline = Attributes(rawValue: 4)
        static let reverse = Attributes(rawValue: 8)
        static let italic = Attributes(rawValue: 16)
    }

    var foreground = Paint.role(.plain)
    var background = Paint.role(.plain)
    var attributes: Attributes = []

    static let plain = Style()

    init(
        _ foreground: Role = .plain, on background: Role = .plain, _ attributes: Attributes = []
    ) {
        self.foreground = .role(foreground)
        self.background = .role(background)
        self.attributes = attributes
    }

    init(foreground: Paint, background: Paint, _ attributes: Attributes = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    /// The same on another background.
    func on(_ background: Role) -> Style {
        var style = self
        style.background = .role(background)
        return style
    }

    /// The same with more done to the letters.
    func adding(_ attributes: Attributes) -> Style {
        var style = self
        style.attributes.formUnion(attributes)
        return style
    }
}
