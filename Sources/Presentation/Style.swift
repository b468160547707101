/// The appearance of a text by its meaning; the theme maps meanings to colours.
package struct Style: Sendable, Hashable {
    /// A colour by its meaning.
    package enum Role: UInt8, Sendable, Hashable, CaseIterable {
        /// The terminal's default colour.
        case plain
        /// Less important text: units, separators, line numbers.
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
        /// Backgrounds: bars, the selected line, a search match, added and removed lines.
        case bar, selection, match, added, removed
        /// An escape sequence in place of a character that must not reach the terminal.
        case escape
    }

    package struct Attributes: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let bold = Attributes(rawValue: 1)
        package static let dim = Attributes(rawValue: 2)
        package static let underline = Attributes(rawValue: 4)
        package static let reverse = Attributes(rawValue: 8)
        package static let italic = Attributes(rawValue: 16)
    }

    package var foreground = Role.plain
    package var background = Role.plain
    package var attributes: Attributes = []

    /// The default colours of the terminal or page.
    package static let plain = Style()

    package init(
        _ foreground: Role = .plain, on background: Role = .plain, _ attributes: Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    package func on(_ background: Role) -> Style {
        var style = self
        style.background = background
        return style
    }

    package func adding(_ attributes: Attributes) -> Style {
        var style = self
        style.attributes.formUnion(attributes)
        return style
    }
}

/// Styles with only a role, so that lines can be built as in `.append(name, .key)`.
extension Style {
    package static let dim = Style(.dim)
    package static let heading = Style(.heading)
    package static let accent = Style(.accent)
    package static let good = Style(.good)
    package static let notice = Style(.notice)
    package static let warning = Style(.warning)
    package static let bad = Style(.bad)
    package static let informational = Style(.informational)
    package static let success = Style(.success)
    package static let redirection = Style(.redirection)
    package static let clientError = Style(.clientError)
    package static let serverError = Style(.serverError)
    package static let key = Style(.key)
    package static let string = Style(.string)
    package static let number = Style(.number)
    package static let keyword = Style(.keyword)
    package static let punctuation = Style(.punctuation)
    package static let comment = Style(.comment)
    package static let tag = Style(.tag)
    package static let attribute = Style(.attribute)
}

extension Style.Role {
    /// The colour for the class of a status code; codes outside all classes are server errors.
    package static func ofStatus(_ status: Int) -> Style.Role {
        switch status {
        case 100..<200: .informational
        case 200..<300: .success
        case 300..<400: .redirection
        case 400..<500: .clientError
        default: .serverError
        }
    }
}
