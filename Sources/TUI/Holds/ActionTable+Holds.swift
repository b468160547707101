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
            "Show what is held: breakpoints"),
        Action(
            .openHold, [.enter, Key("e")], [.holds], "Look at it, edit it, let it go on",
            hint: "edit"),
        Action(.resumeHold, [Key("s")], [.holds], "Let it go on as it is", hint: "resume"),
        Action(.answerHold, [Key("a")], [.holds], "Answer the client", hint: "answer"),
        Action(
            .dropHold, [Key("d")], [.holds], "End the client's connection without an answer",
            hint: "drop"),
        Action(.resumeAllHolds, [Key("A")], [.holds], "Let everything go on as it is"),
        Action(
            .takeHolds, [Key("B")], [.holds], "Take what rules hold, or let everything pass",
            hint: "take holds"),
        Action(.editHeldLine, [.enter], [.held], "Edit the line", hint: "edit"),
        Action(.addHeldLine, [Key("a")], [.held], "Add a line behind this one", hint: "add"),
        Action(.removeHeldLine, [Key("d")], [.held], "Delete the line", hint: "delete"),
        Action(.editHeldHead, [Key("e")], [.held], "Edit the head in $EDITOR", hint: "editor"),
        Action(.editHeldBody, [Key("b")], [.held], "Edit the body in $EDITOR"),
        Action(
            .sendHeld, [Key("s")], [.held], "Let it go on as it stands here", hint: "send"),
    ]
}
