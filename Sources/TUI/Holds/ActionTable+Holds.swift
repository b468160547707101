extension ActionID {
    static let showHolds = ActionID("holds")
    static let takeHolds = ActionID("holds.take")
    static let openHold = ActionID("holds.open")
    static let resumeHold = ActionID("holds.resume")
    static let answerHold = ActionID("holds.answer")
    static let dropHold = ActionID("holds.drop")
    static let resumeAllHolds = ActionID("holds.resume-all")
    static let editHeldLine = ActionID("held.line")
    static let addHeldLine = ActionID("held.add")
    static let removeHeldLine = ActionID("held.delete")
    static let editHeldHead = ActionID("held.editor.head")
    static let editHeldBody = ActionID("held.editor.body")
    static let sendHeld = ActionID("held.send")
}

extension ActionTable {
    static let holding = [
        Action(
            .showHolds, [Key("H")], [.list, .tree, .detail],
            "Show held messages (breakpoints)"),
        Action(
            .openHold, [.enter, Key("e")], [.holds], "View and edit it, let it go on",
            hint: "edit"),
        Action(.resumeHold, [Key("s")], [.holds], "Let it go on unchanged", hint: "resume"),
        Action(.answerHold, [Key("a")], [.holds], "Answer the client", hint: "answer"),
        Action(
            .dropHold, [Key("d")], [.holds], "Close the client's connection without an answer",
            hint: "drop"),
        Action(.resumeAllHolds, [Key("A")], [.holds], "Let all held messages go on unchanged"),
        Action(
            .takeHolds, [Key("B")], [.holds], "Hold messages for you, or let all pass",
            hint: "hold on/off"),
        Action(.editHeldLine, [.enter], [.held], "Edit the line", hint: "edit"),
        Action(.addHeldLine, [Key("a")], [.held], "Add a line after this one", hint: "add"),
        Action(.removeHeldLine, [Key("d")], [.held], "Delete the line", hint: "delete"),
        Action(.editHeldHead, [Key("e")], [.held], "Edit the head in $EDITOR", hint: "editor"),
        Action(.editHeldBody, [Key("b")], [.held], "Edit the body in $EDITOR"),
        Action(
            .sendHeld, [Key("s")], [.held], "Let it go on as edited here", hint: "send"),
    ]
}
