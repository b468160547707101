extension ActionID {
    static let onlyHost = ActionID("filter.host")
    static let notHost = ActionID("filter.not-host")
    static let onlyPath = ActionID("filter.path")
    static let onlyStatus = ActionID("filter.status")
    static let undoFilter = ActionID("filter.undo")
}

extension ActionTable {
    static let filtering = [
        Action(.onlyHost, [Key("i")], [.list, .tree], "Show only this host"),
        Action(.notHost, [Key("x")], [.list, .tree], "Show all but this host"),
        Action(.onlyPath, [Key("P")], [.list, .tree], "Show only this path"),
        Action(.onlyStatus, [Key("s")], [.list], "Show only this status"),
        Action(.undoFilter, [Key("u")], [.list, .tree], "Go back to the filter before"),
    ]
}
