extension ActionID {
    static let showDiff = ActionID("diff")
    static let nextPart = ActionID("diff.part.next")
    static let previousPart = ActionID("diff.part.previous")
    static let nextChange = ActionID("diff.change.next")
    static let previousChange = ActionID("diff.change.previous")
    static let showEqual = ActionID("diff.equal")
    static let swapSides = ActionID("diff.swap")
    static let compareTraffic = ActionID("compare")
    static let openDifference = ActionID("compare.open")
}

extension ActionTable {
    static let diff = [
        Action(
            .showDiff, [Key("D")], [.list],
            "Compare the two marked exchanges, or the marked one with this one"),
        Action(.nextPart, [.tab], [.diff], "Show the next part", hint: "part"),
        Action(.previousPart, [.backtab], [.diff], "Show the previous part"),
        Action(.nextChange, [Key("n")], [.diff], "Go to the next difference", hint: "next"),
        Action(.previousChange, [Key("N")], [.diff], "Go to the previous difference"),
        Action(
            .showEqual, [Key("a")], [.diff], "Show all equal lines, or only those near changes",
            hint: "all"),
        Action(.swapSides, [Key("x")], [.diff, .traffic], "Swap the two", hint: "swap"),
        Action(
            .compareTraffic, [Key("V")], [.list],
            "Compare what the filter shows with what another one shows"),
        Action(
            .openDifference, [.enter], [.traffic],
            "Compare the two exchanges, or open the only one", hint: "open"),
    ]
}
