extension ActionID {
    static let onlyHost = ActionID("filter.host")
    static let notHost = ActionID("filter.not-host")
    static let onlyPath = ActionID("filter.path")
    static let onlyStatus = ActionID("filter.status")
    static let undoFilter = ActionID("filter.undo")
    static let nameFilter = ActionID("filter.name")
    static let showFilters = ActionID("filter.saved")
    static let pickFilter = ActionID("filter.saved.pick")
    static let deleteFilter = ActionID("filter.saved.delete")
}

extension ActionTable {
    static let filtering = [
        Action(.onlyHost, [Key("i")], [.list, .tree], "Show only this host"),
        Action(.notHost, [Key("x")], [.list, .tree], "Hide this host"),
        Action(.onlyPath, [Key("P")], [.list, .tree], "Show only this path"),
        Action(.onlyStatus, [Key("s")], [.list], "Show only this status"),
        Action(.undoFilter, [Key("u")], [.list, .tree], "Go back to the previous filter"),
        Action(.nameFilter, [Key("N")], [.list, .filters], "Save the filter under a name"),
        Action(.showFilters, [Key("B")], [.list], "Show the saved filters"),
        Action(.pickFilter, [.enter], [.filters], "List what the filter shows", hint: "list it"),
        Action(
            .deleteFilter, [Key("d"), Key(.delete)], [.filters], "Delete the saved filter",
            hint: "delete"),
    ]
}
