internal import ProxydTerminalText

/// Text split into pieces that fill cells, each a character with its combining marks. The text is
/// always made safe for the terminal, even if it already was.
package struct CellText: Sequence {
    /// A piece that fills one cell or two.
    package struct Piece {
        /// A character with its combining marks.
        package let character: String
        /// The width in columns: 1 or 2.
        package let width: Int
    }

    private let text: String

    /// Creates the pieces of a text, raw or safe.
    package init(_ text: String) { self.text = TerminalText.sanitize(text) }

    /// Iterates over the pieces from left to right.
    package func makeIterator() -> AnyIterator<Piece> {
        var scalars = text.unicodeScalars[...]
        return AnyIterator {
            guard let first = scalars.popFirst() else { return nil }
            var character = String(first)
            if first.isASCII, scalars.first?.isASCII ?? true {
                return Piece(character: character, width: 1)
            }
            while let next = scalars.first, TerminalText.displayWidth(String(next)) == 0 {
                character.unicodeScalars.append(next)
                scalars.removeFirst()
            }
            return Piece(
                character: character, width: Swift.max(1, TerminalText.displayWidth(character)))
        }
    }
}
