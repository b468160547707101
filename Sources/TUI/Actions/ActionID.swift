/// The name of an action, used by keys, the palette and the documentation, such as `list.follow`.
/// Each feature adds its own in an extension.
struct ActionID: Sendable, Hashable, CustomStringConvertible {
    let name: String

    init(_ name: String) { self.name = name }

    var description: String { name }
}

extension ActionID {
    static let quit = ActionID("quit")
    static let close = ActionID("close")
    static let back = ActionID("back")
    static let help = ActionID("help")
    static let searchHelp = ActionID("help.search")
    static let palette = ActionID("palette")
    static let redraw = ActionID("redraw")
    static let suspend = ActionID("suspend")
    static let toggleMouse = ActionID("mouse.toggle")
    static let cancel = ActionID("cancel")

    // Movement, the same everywhere.
    static let up = ActionID("up")
    static let down = ActionID("down")
    static let left = ActionID("left")
    static let right = ActionID("right")
    static let first = ActionID("first")
    static let last = ActionID("last")
    static let pageUp = ActionID("page.up")
    static let pageDown = ActionID("page.down")
    static let halfPageUp = ActionID("page.half-up")
    static let halfPageDown = ActionID("page.half-down")
}
