internal import ProxydFilter

extension ActionID {
    static let open = ActionID("open")
    static let filter = ActionID("filter")
    static let clearFilter = ActionID("filter.clear")
    static let follow = ActionID("list.follow")
    static let sort = ActionID("list.sort")
    static let reverse = ActionID("list.reverse")
    static let mark = ActionID("mark")
    static let unmarkAll = ActionID("mark.none")
    static let note = ActionID("note")
    static let tag = ActionID("tag")
    static let pin = ActionID("pin")
    static let copyURL = ActionID("copy.url")
    static let copyCurl = ActionID("copy.curl")
    static let copyHead = ActionID("copy.head")
    static let copyBody = ActionID("copy.body")
    static let delete = ActionID("delete")
    static let deleteShown = ActionID("delete.shown")
    static let columns = ActionID("list.columns")
    static let reload = ActionID("reload")
}

extension ActionTable {
    static let list = [
        Action(.open, [.enter], [.list], "Open the exchange", hint: "open"),
        Action(.filter, [Key("/"), Key("f")], [.list], "Filter", hint: "filter"),
        Action(.clearFilter, [.control("u")], [.list], "Clear the filter"),
        Action(.follow, [Key("F")], [.list], "Follow new exchanges, or stop", hint: "follow"),
        Action(.sort, [Key("o")], [.list], "Sort by a column", hint: "sort"),
        Action(.reverse, [Key("v")], [.list], "Reverse the order"),
        Action(.columns, [Key("C")], [.list], "Choose and move columns"),
        Action(.mark, [Key("m")], [.list], "Mark or unmark it", hint: "mark"),
        Action(.unmarkAll, [Key("U")], [.list], "Unmark all"),
        Action(.note, [Key(";")], [.list, .detail], "Add a note to it"),
        Action(.tag, [Key("t")], [.list, .detail], "Tag it; a leading minus removes a tag"),
        Action(.pin, [Key("p")], [.list, .detail], "Pin or unpin it; pinned, it is kept"),
        Action(
            .delete, [Key("d"), Key(.delete)], [.list],
            "Delete it or the marked ones after asking; pinned ones are kept"),
        Action(
            .deleteShown, [Key("z")], [.list],
            "Delete all that the filter shows after asking; pinned ones are kept"),
        Action(.copyURL, [Key("y")], [.list, .detail, .compose], "Copy the URL", hint: "copy"),
        Action(
            .copyCurl, [Key("Y")], [.list, .detail, .compose], "Copy it as a curl command"),
        Action(.copyHead, [.alt("h")], [.list, .detail], "Copy the response's head"),
        Action(.copyBody, [.alt("b")], [.list, .detail], "Copy the response's body"),
        Action(
            .reload, [Key("R"), Key(.function(5))],
            [.list, .tree, .summary, .diff, .traffic, .rules],
            "Reload everything"),
    ]
}
