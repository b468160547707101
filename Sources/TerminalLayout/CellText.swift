internal import ProxydTerminalText

/// A text in pieces that fill cells: each one character with its combining marks. It is made safe,
/// whatever was done to it before.
package struct CellText: Sequence {
    /// What fills one cell, or two.
    package struct Piece {
        /// A character with its marks.
        package let character: String
        /// Columns: 1 or 2.
        package let width: Int
    }

    private let text: String

    /// The pieces of a text, raw or safe.
    package init(_ text: String) { self.text = TerminalText.sanitize(text) }

    /// One after the other, from the left.
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
