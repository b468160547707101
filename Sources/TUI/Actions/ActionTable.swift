/// All actions. A feature adds its own table here and nowhere else.
enum ActionTable {
    static let all: [Action] =
        general + moving + list + filtering + choosingColumns + messages + detail + tree + waterfall
        + summary + diff + composing + sending + holding + steering + ruling
        + helping

    /// The actions of some places, in the order of the table.
    static func actions(in places: Set<Action.Place>) -> [Action] {
        all.filter { !$0.places.isDisjoint(with: places) }
    }

    /// The action of a key in some places; the screen's own actions take precedence over general
    /// ones.
    static func action(for key: Key, in places: Set<Action.Place>) -> ActionID? {
        let found = actions(in: places).filter { $0.keys.contains(key) }
        let own = found.first { $0.places.isDisjoint(with: [.everywhere, .moving]) }
        return (own ?? found.first)?.id
    }

    static let general = [
        Action(.help, [Key("?"), Key(.function(1))], [.everywhere], "Show the keys", hint: "help"),
        Action(
            .palette, [Key(":")], [.everywhere], "Choose an action by its name", hint: "actions"),
        Action(.close, [.escape], [.everywhere], "Go back immediately"),
        Action(.back, [Key("q")], [.everywhere], "Go back; from the list, quit"),
        Action(.quit, [Key("Q"), .control("c")], [.everywhere], "Quit", hint: "quit"),
        Action(.redraw, [.control("l")], [.everywhere], "Redraw the screen"),
        Action(.suspend, [.control("z")], [.everywhere], "Suspend; fg resumes"),
        Action(
            .toggleMouse, [.alt("m")], [.everywhere],
            "Leave the mouse to the terminal for selecting text, or use it here"),
        Action(.cancel, [.control("g")], [.everywhere], "Cancel what is running"),
    ]

    static let helping = [
        Action(
            .searchHelp, [Key("/")], [.help], "Search the help; Esc shows all of it",
            hint: "search")
    ]

    static let moving = [
        Action(.up, [Key("k"), Key(.up)], [.moving], "Move up"),
        Action(.down, [Key("j"), Key(.down)], [.moving], "Move down"),
        Action(.left, [Key("h"), Key(.left)], [.moving], "Move left"),
        Action(.right, [Key("l"), Key(.right)], [.moving], "Move right"),
        Action(.first, [Key("g"), Key(.home)], [.moving], "Go to the first"),
        Action(.last, [Key("G"), Key(.end)], [.moving], "Go to the last"),
        Action(.pageUp, [Key(.pageUp), .control("b")], [.moving], "Move up one page"),
        Action(
            .pageDown, [Key(.pageDown), .control("f"), .space], [.moving], "Move down one page"),
        Action(.halfPageUp, [.control("u")], [.moving], "Move up half a page"),
        Action(.halfPageDown, [.control("d")], [.moving], "Move down half a page"),
    ]
}
