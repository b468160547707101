extension ActionID {
    static let nextTab = ActionID("detail.tab.next")
    static let previousTab = ActionID("detail.tab.previous")
    static let nextExchange = ActionID("detail.exchange.next")
    static let previousExchange = ActionID("detail.exchange.previous")
    static let nextViewer = ActionID("detail.viewer.next")
    static let previousViewer = ActionID("detail.viewer.previous")
    static let otherMessage = ActionID("detail.message")
    static let unfold = ActionID("detail.unfold")
    static let foldAll = ActionID("detail.fold.all")
    static let unfoldAll = ActionID("detail.unfold.all")
    static let wrap = ActionID("detail.wrap")
    static let search = ActionID("detail.search")
    static let nextMatch = ActionID("detail.search.next")
    static let previousMatch = ActionID("detail.search.previous")
    static let copyLine = ActionID("copy.line")
    static let copyShownBody = ActionID("copy.shown-body")
    static let saveBody = ActionID("detail.body.save")
    static let editBody = ActionID("detail.body.edit")

    /// The actions that show a tab by its position.
    static let tabs: [ActionID] = DetailTab.allCases.map {
        ActionID("detail.tab.\($0.title.lowercased())")
    }
}

extension ActionTable {
    static let detail =
        [
            Action(
                .nextTab, [.tab], [.detail], "Show the next tab", hint: "tab"),
            Action(.previousTab, [.backtab], [.detail], "Show the previous tab"),
            Action(
                .nextExchange, [Key("]"), Key("J")], [.detail], "Go to the next exchange",
                hint: "next"),
            Action(
                .previousExchange, [Key("["), Key("K")], [.detail], "Go to the previous exchange"),
            Action(
                .nextViewer, [Key("v")], [.detail], "Show the body with the next viewer",
                hint: "viewer"),
            Action(.previousViewer, [Key("V")], [.detail], "Show it with the previous viewer"),
            Action(
                .otherMessage, [Key("x")], [.detail],
                "On Raw and Hex, the other message; on Messages, bytes or meaning"),
            Action(
                .unfold, [.enter], [.detail],
                "Fold or unfold; open the part of a multipart body, or the message"),
            Action(.foldAll, [Key("-")], [.detail], "Fold everything except the top level"),
            Action(.unfoldAll, [Key("+"), Key("=")], [.detail], "Unfold everything"),
            Action(.wrap, [Key("w")], [.detail], "Wrap long lines, or scroll sideways"),
            Action(
                .search, [Key("/")], [.detail],
                "Search heads and bodies (0x and hex digits: bytes)",
                hint: "search"),
            Action(.nextMatch, [Key("n")], [.detail], "Go to the next match"),
            Action(.previousMatch, [Key("N")], [.detail], "Go to the previous match"),
            Action(.copyLine, [Key("c")], [.detail], "Copy the line"),
            Action(
                .copyShownBody, [Key("C")], [.detail],
                "Copy the shown body, decoded"),
            Action(
                .saveBody, [Key("b")], [.detail], "Save the body to a file", hint: "save"),
            Action(.editBody, [Key("E")], [.detail], "View the body in $EDITOR"),
        ]
        + zip(ActionID.tabs, DetailTab.allCases).map { id, tab in
            Action(id, [Key(tab.digit)], [.detail], "Show \(tab.title)")
        }
}
