extension ActionID {
    static let keepColumns = ActionID("columns.keep")
    static let switchColumn = ActionID("columns.switch")
    static let moveColumnUp = ActionID("columns.move-up")
    static let moveColumnDown = ActionID("columns.move-down")
    static let standardColumns = ActionID("columns.standard")
}

extension ActionTable {
    static let choosingColumns = [
        Action(
            .keepColumns, [.enter], [.columns], "Show the list with these columns", hint: "keep"),
        Action(
            .switchColumn, [.space, Key("x")], [.columns], "Switch the column on or off",
            hint: "on/off"),
        Action(
            .moveColumnUp, [Key("K"), Key(.up, .alt)], [.columns],
            "Move the column up: left in the list", hint: "up"),
        Action(
            .moveColumnDown, [Key("J"), Key(.down, .alt)], [.columns],
            "Move the column down: right in the list", hint: "down"),
        Action(
            .standardColumns, [Key("V")], [.columns], "Restore the columns that fit the width",
            hint: "standard"),
    ]
}
