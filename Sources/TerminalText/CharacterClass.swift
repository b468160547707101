/// What a character does to a terminal.
enum CharacterClass: Equatable {
    /// Takes this many columns: 1, or 2 for East Asian wide characters and emoji.
    case printable(width: Int)
    /// Is painted onto the character before it.
    case combining
    /// Controls the terminal, is invisible, turns the direction of the text, or means nothing.
    case unsafe

    init(_ scalar: Unicode.Scalar) {
        if scalar.value < 0x7F {
            self = scalar.value >= 0x20 ? .printable(width: 1) : .unsafe
            return
        }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            self = .unsafe
        case .nonspacingMark, .enclosingMark:
            // Variation selectors and the like are invisible.
            self = properties.isDefaultIgnorableCodePoint ? .unsafe : .combining
        default:
            if properties.isDefaultIgnorableCodePoint {
                self = .unsafe
            } else if CharacterClass.isConjoining(scalar.value) {
                self = .combining
            } else {
                self = .printable(width: WideCharacters.contains(scalar.value) ? 2 : 1)
            }
        }
    }

    /// Hangul vowels and finals that terminals paint onto the initial before them.
    private static func isConjoining(_ value: UInt32) -> Bool {
        (0x1161...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value)
    }
}
