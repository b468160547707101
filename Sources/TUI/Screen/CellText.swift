internal import ProxydTerminalText

/// A text in pieces that fill cells: each one character with its combining marks. Made safe here,
/// whatever was done to it before.
struct CellText: Sequence {
    struct Piece {
        let character: String
        /// Columns: 1 or 2.
        let width: Int
    }

    private let text: String

    init(_ text: String) { self.text = TerminalText.sanitize(text) }

    func makeIterator() -> AnyIterator<Piece> {
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
