internal import ProxydPresentation

/// One column of one row.
struct Cell: Sendable, Hashable {
    /// A character with its combining marks; empty for the second column of a wide one. Always safe
    /// to print: only `Canvas` creates cells.
    private(set) var character: String
    var style: Style

    static let blank = Cell(character: " ", style: .plain)

    init(character: String, style: Style) {
        self.character = character
        self.style = style
    }

    /// Whether it is the second column of the character before it.
    var isContinuation: Bool { character.isEmpty }
}
