extension ActionID {
    static let compose = ActionID("compose")
    static let editRequest = ActionID("compose.edit-request")
    static let editCell = ActionID("compose.cell")
    static let addItem = ActionID("compose.add")
    static let insertItem = ActionID("compose.insert")
    static let removeItem = ActionID("compose.delete")
    static let moveItemUp = ActionID("compose.move-up")
    static let moveItemDown = ActionID("compose.move-down")
    static let nextSection = ActionID("compose.section.next")
    static let previousSection = ActionID("compose.section.previous")
    static let editWithEditor = ActionID("compose.editor")
    static let editBodyWithEditor = ActionID("compose.editor.body")
    static let layOutBody = ActionID("compose.lay-out")
    static let revertDraft = ActionID("compose.revert")
    static let sendDraft = ActionID("compose.send")
    static let sendDraftAnotherWay = ActionID("compose.send.another-way")
}

extension ActionTable {
    static let composing = [
        Action(
            .compose, [Key("n")], [.list], "Compose a new request and send it"),
        Action(
            .editRequest, [Key("e")], [.list, .detail],
            "Edit the request and send it; the original stays", hint: "edit"),
        Action(
            .editCell, [.enter], [.compose],
            "Edit what the cursor is on; Tab goes to the other half",
            hint: "edit"),
        Action(
            .sendDraft, [Key("s"), Key("r"), Key(.function(5))], [.compose],
            "Send the request and show the response", hint: "send"),
        Action(
            .sendDraftAnotherWay, [Key("S")], [.compose],
            "Send it without verifying the certificate, through proxyd or to another address"),
        Action(.addItem, [Key("a")], [.compose], "Add a row after this one", hint: "add"),
        Action(.insertItem, [Key("A")], [.compose], "Add a row before this one"),
        Action(
            .removeItem, [Key("d"), Key(.delete)], [.compose], "Delete the row", hint: "delete"),
        Action(.moveItemUp, [Key("K"), Key(.up, .alt)], [.compose], "Move the row up"),
        Action(.moveItemDown, [Key("J"), Key(.down, .alt)], [.compose], "Move the row down"),
        Action(.nextSection, [.tab], [.compose], "Go to the next part"),
        Action(.previousSection, [.backtab], [.compose], "Go to the previous part"),
        Action(
            .editWithEditor, [Key("e")], [.compose],
            "Edit in $EDITOR: the part or the body, otherwise the head", hint: "editor"),
        Action(.editBodyWithEditor, [Key("b")], [.compose], "Edit the body in $EDITOR"),
        Action(
            .layOutBody, [Key("p")], [.compose],
            "Format JSON, or put it on one line; tokens are not changed"),
        Action(.revertDraft, [Key("V")], [.compose], "Discard all changes"),
    ]
}
