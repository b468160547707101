extension ActionID {
    static let showSummary = ActionID("summary")
    static let choose = ActionID("summary.choose")
}

extension ActionTable {
    static let summary = [
        Action(
            .showSummary, [Key("S")], [.list], "Summarize what the filter shows", hint: "summary"),
        Action(
            .choose, [.enter], [.summary],
            "List only these, or open the exchange", hint: "list it"),
    ]
}
