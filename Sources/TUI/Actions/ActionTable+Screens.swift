extension ActionID {
    static let showTree = ActionID("tree")
    static let focus = ActionID("tree.focus")
    static let unfoldBranch = ActionID("tree.unfold")
    static let foldBranch = ActionID("tree.fold")
    static let foldTree = ActionID("tree.fold.all")
    static let sortTree = ActionID("tree.sort")

    static let showWaterfall = ActionID("waterfall")
    static let zoomIn = ActionID("waterfall.zoom.in")
    static let zoomOut = ActionID("waterfall.zoom.out")
    static let earlier = ActionID("waterfall.earlier")
    static let later = ActionID("waterfall.later")
    static let zoomFit = ActionID("waterfall.zoom.fit")

    static let showSummary = ActionID("summary")
    static let choose = ActionID("summary.choose")

    static let showDiff = ActionID("diff")
    static let nextPart = ActionID("diff.part.next")
    static let previousPart = ActionID("diff.part.previous")
    static let nextChange = ActionID("diff.change.next")
    static let previousChange = ActionID("diff.change.previous")
    static let showEqual = ActionID("diff.equal")
    static let swapSides = ActionID("diff.swap")
    static let compareTraffic = ActionID("compare")
    static let openDifference = ActionID("compare.open")

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

    static let replay = ActionID("replay")
    static let repeatMany = ActionID("replay.many")
    static let otherSide = ActionID("comparison.other-side")
    static let showSidesDiff = ActionID("comparison.diff")
    static let export = ActionID("export")
    static let saveStoredBody = ActionID("body.save")
    static let copyCurlRedacted = ActionID("copy.curl.redacted")
    static let copyRequestHead = ActionID("copy.request-head")
    static let copyRequestBody = ActionID("copy.request-body")

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

    static let showRules = ActionID("rules")
    static let ruleForExchange = ActionID("rule.for-exchange")
    static let mapBody = ActionID("rule.map")
    static let listHits = ActionID("rule.hits")
    static let switchRule = ActionID("rule.switch")
    static let switchGroup = ActionID("rule.switch-group")
    static let editRule = ActionID("rule.edit")
    static let editRuleFilter = ActionID("rule.filter")
    static let newRule = ActionID("rule.new")
    static let removeRule = ActionID("rule.remove")
    static let moveRuleUp = ActionID("rule.move-up")
    static let moveRuleDown = ActionID("rule.move-down")
    static let temporaryRules = ActionID("rule.temporary")
    static let forgetTemporaryRules = ActionID("rule.forget")
    static let editRulesFile = ActionID("rule.edit-file")
}

extension ActionTable {
    static let tree = [
        Action(.showTree, [Key("T")], [.list], "Show hosts and paths as a tree", hint: "tree"),
        Action(
            .focus, [.enter], [.tree], "List only what is below; close the tree", hint: "list it"),
        Action(
            .unfoldBranch, [Key("l"), Key(.right), Key("+")], [.tree], "Unfold", hint: "unfold"),
        Action(
            .foldBranch, [Key("h"), Key(.left), Key("-")], [.tree],
            "Fold; go to the parent folder"),
        Action(.foldTree, [Key("_")], [.tree], "Fold everything"),
        Action(.sortTree, [Key("o")], [.tree], "Sort by the next column", hint: "sort"),
    ]

    static let waterfall = [
        Action(
            .showWaterfall, [Key("W")], [.list], "Show or hide the rows as bars on a time axis",
            hint: "chart"),
        Action(.zoomIn, [Key("+"), Key("=")], [.waterfall], "Zoom in"),
        Action(.zoomOut, [Key("-")], [.waterfall], "Zoom out"),
        Action(.zoomFit, [Key("0")], [.waterfall], "Fit the time of most visible rows, or of all"),
        Action(.earlier, [Key("h"), Key(.left)], [.waterfall], "Show earlier times"),
        Action(.later, [Key("l"), Key(.right)], [.waterfall], "Show later times"),
    ]

    static let summary = [
        Action(
            .showSummary, [Key("S")], [.list], "Summarize what the filter shows", hint: "summary"),
        Action(
            .choose, [.enter], [.summary],
            "List only these, or open the exchange", hint: "list it"),
    ]

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

    static let composing = [
        Action(.compose, [Key("n")], [.list], "Compose a new request and send it"),
        Action(
            .editRequest, [Key("e")], [.list, .detail],
            "Edit the request and send it; the original stays", hint: "edit"),
        Action(
            .editCell, [.enter], [.compose],
            "Edit what the cursor is on; Tab goes to the other half", hint: "edit"),
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

    static let sending = [
        Action(
            .replay, [Key("r")], [.list, .detail],
            "Send it again, byte for byte, and compare the responses", hint: "replay"),
        Action(.repeatMany, [Key("*")], [.list, .detail], "Send it or the marked ones many times"),
        Action(
            .otherSide, [Key("o")], [.comparison], "Switch between original and replay",
            hint: "other side"),
        Action(
            .showSidesDiff, [Key("D")], [.comparison], "Show the differences line by line",
            hint: "diff"),
        Action(
            .export, [Key("X")], [.list, .detail],
            "Export it, the marked ones or what the filter shows to a file", hint: "export"),
        Action(.saveStoredBody, [Key("b")], [.list], "Save the response's body to a file"),
        Action(
            .copyCurlRedacted, [.alt("y")], [.list, .detail],
            "Copy it as a curl command without credentials"),
        Action(.copyRequestHead, [.alt("H")], [.list, .detail], "Copy the request's head"),
        Action(.copyRequestBody, [.alt("B")], [.list, .detail], "Copy the request's body"),
    ]

    static let deciding = [
        Action(
            .showHolds, [Key("H")], [.list, .tree, .detail], "Show held messages (breakpoints)"),
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
        Action(.sendHeld, [Key("s")], [.held], "Let it go on as edited here", hint: "send"),
    ]

    static let editingRules = [
        Action(.showRules, [Key("L")], [.list, .detail], "Show the rules, and what they do"),
        Action(
            .ruleForExchange, [Key("A")], [.list, .detail],
            "Add a rule for this host, method and path"),
        Action(
            .mapBody, [Key("M")], [.list, .detail],
            "Save the response's body to a file and serve that from now on"),
        Action(
            .switchRule, [.space, Key("s")], [.rules], "Switch the rule on or off", hint: "on/off"),
        Action(.editRule, [Key("e")], [.rules], "Edit the rule in $EDITOR", hint: "edit"),
        Action(
            .editRuleFilter, [Key("f"), Key("/")], [.rules],
            "Edit its filter; the exchanges it would match are counted", hint: "filter"),
        Action(.newRule, [Key("n"), Key("a")], [.rules], "Add a rule", hint: "new"),
        Action(.removeRule, [Key("d"), Key(.delete)], [.rules], "Remove the rule", hint: "remove"),
        Action(.moveRuleUp, [Key("K"), Key(.up, .alt)], [.rules], "Move the rule up", hint: "up"),
        Action(
            .moveRuleDown, [Key("J"), Key(.down, .alt)], [.rules], "Move the rule down",
            hint: "down"),
        Action(.listHits, [.enter], [.rules], "List the exchanges that it acted on", hint: "hits"),
        Action(.switchGroup, [Key("u")], [.rules], "Switch its group on or off"),
        Action(
            .temporaryRules, [Key("t")], [.rules],
            "Change rules only in the daemon's memory, or in the file again", hint: "temporary"),
        Action(.forgetTemporaryRules, [Key("U")], [.rules], "Drop all temporary changes"),
        Action(.editRulesFile, [Key("E")], [.rules], "Edit the whole file in $EDITOR"),
    ]
}
