/// An input event from the terminal.
enum InputEvent: Sendable, Hashable {
    case key(Key)
    case mouse(MouseEvent)
    /// Pasted text, unchanged.
    case paste(String)
    case resize(Size)
}

/// A mouse event, in cells of the screen.
struct MouseEvent: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case press, release, drag
        case scrollUp, scrollDown
    }

    enum Button: Sendable, Hashable {
        case left, middle, right, none
    }

    var kind: Kind
    var button = Button.none
    var position: Position
}
