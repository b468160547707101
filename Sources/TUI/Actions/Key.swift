struct Key: Sendable, Hashable {
    enum Code: Sendable, Hashable {
        case character(Character)
        case enter, escape, tab, backspace, delete, insert
        case up, down, left, right, home, end, pageUp, pageDown
        case function(Int)
    }

    struct Modifiers: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        static let control = Modifiers(rawValue: 1)
        static let alt = Modifiers(rawValue: 2)
        /// Set only if the code does not imply it: `G` is a character of its own.
        static let shift = Modifiers(rawValue: 4)
    }

    var code: Code
    var modifiers: Modifiers = []

    init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    init(_ character: Character, _ modifiers: Modifiers = []) {
        self.init(.character(character), modifiers)
    }

    static func control(_ character: Character) -> Key { Key(character, .control) }
    static func alt(_ character: Character) -> Key { Key(character, .alt) }
    static let enter = Key(.enter)
    static let escape = Key(.escape)
    static let tab = Key(.tab)
    static let backtab = Key(.tab, .shift)
    static let space = Key(" ")

    /// The character that the key types, or nil for keys that type nothing.
    var typed: Character? {
        guard modifiers.isEmpty, case .character(let character) = code else { return nil }
        return character
    }
}

extension Key: CustomStringConvertible {
    /// The usual notation, such as `C-d`, `M-x`, `Enter` or `G`.
    var description: String {
        var text = ""
        if modifiers.contains(.control) { text += "C-" }
        if modifiers.contains(.alt) { text += "M-" }
        if modifiers.contains(.shift) { text += "S-" }
        return text + name
    }

    private var name: String {
        switch code {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backspace: "Backspace"
        case .delete: "Delete"
        case .insert: "Insert"
        case .up: "Up"
        case .down: "Down"
        case .left: "Left"
        case .right: "Right"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PageUp"
        case .pageDown: "PageDown"
        case .function(let number): "F\(number)"
        }
    }
}

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

    enum Button: Sendable, Hashable { case left, middle, right, none }

    var kind: Kind
    var button = Button.none
    var position: Position
}
