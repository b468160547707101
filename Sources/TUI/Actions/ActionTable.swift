/// All actions. A feature adds its own table here and nowhere else.
enum ActionTable {
    static let all: [Action] =
        general + moving + panes + list + filtering + choosingColumns + messages + detail + tree
        + waterfall
        + summary + diff + composing + sending + deciding + controlling + editingRules + helping

    static func actions(in scopes: Set<Action.Scope>) -> [Action] {
        all.filter { !$0.scopes.isDisjoint(with: scopes) }
    }

    /// The action of a key in some scopes; the screen's own actions precede general ones.
    static func action(for key: Key, in scopes: Set<Action.Scope>) -> ActionID? {
        let found = actions(in: scopes).filter { $0.keys.contains(key) }
        return (found.first { !$0.isGeneral } ?? found.first)?.id
    }

    /// The actions of the part beside the one with the focus, each with the keys that are left.
    static func actions(
        beside scopes: Set<Action.Scope>, in others: Set<Action.Scope>
    ) -> [Action] {
        let near = actions(in: scopes)
        let taken = Set(near.flatMap(\.keys))
        let known = Set(near.map(\.id))
        return actions(in: others).filter { !$0.isGeneral && !known.contains($0.id) }.compactMap {
            let keys = $0.keys.filter { !taken.contains($0) }
            return keys.isEmpty ? nil : Action($0.id, keys, $0.scopes, $0.help)
        }
    }

    static let general = [
        Action(.help, [Key("?"), Key(.function(1))], [.everywhere], "Show the keys", hint: "help"),
        Action(
            .palette, [Key(":")], [.everywhere], "Choose an action by its name", hint: "actions"),
        Action(.close, [.escape], [.everywhere], "Go back immediately"),
        Action(.back, [Key("q")], [.everywhere], "Go back; from the list, quit"),
        Action(.quit, [Key("Q"), .control("c")], [.everywhere], "Quit", hint: "quit"),
        Action(.redraw, [.control("l")], [.everywhere], "Redraw the screen"),
        Action(.suspend, [.control("z")], [.everywhere], "Suspend; fg resumes"),
        Action(
            .toggleMouse, [.alt("m")], [.everywhere],
            "Leave the mouse to the terminal for selecting text, or use it here"),
        Action(.cancel, [.control("g")], [.everywhere], "Cancel what is running"),
    ]

    static let helping = [
        Action(
            .searchHelp, [Key("/")], [.help], "Search the help; Esc shows all of it",
            hint: "search")
    ]

    static let moving = [
        Action(.up, [Key("k"), Key(.up)], [.moving], "Move up"),
        Action(.down, [Key("j"), Key(.down)], [.moving], "Move down"),
        Action(.left, [Key("h"), Key(.left)], [.moving], "Move left"),
        Action(.right, [Key("l"), Key(.right)], [.moving], "Move right"),
        Action(.first, [Key("g"), Key(.home)], [.moving], "Go to the first"),
        Action(.last, [Key("G"), Key(.end)], [.moving], "Go to the last"),
        Action(.pageUp, [Key(.pageUp), .control("b")], [.moving], "Move up one page"),
        Action(
            .pageDown, [Key(.pageDown), .control("f"), .space], [.moving], "Move down one page"),
        Action(.halfPageUp, [.control("u")], [.moving], "Move up half a page"),
        Action(.halfPageDown, [.control("d")], [.moving], "Move down half a page"),
    ]
}

/// Something a user can do: an entry in the single table that dispatches keys, fills the help and
/// the command palette, and is documented.
struct Action: Sendable, Hashable {
    /// Where an action applies.
    enum Scope: String, Sendable, Hashable, CaseIterable {
        /// On every screen except while a text is being typed.
        case everywhere
        /// On every screen with something to move around in.
        case moving
        case list, tree, detail, messages, waterfall, summary, diff, compose, comparison, rules
        /// A list and an exchange beside it, or an exchange that has the screen for itself.
        case panes, alone
        /// Two sets of exchanges, compared.
        case traffic
        case help
        /// The saved filters, and the choice of columns.
        case filters, columns
        /// The list of holds, and one held message as lines.
        case holds, held
        /// While a text is being typed.
        case typing
    }

    /// Whether it applies on most screens, and is not one of the screen's own.
    var isGeneral: Bool { !scopes.isDisjoint(with: [.everywhere, .moving]) }

    let id: ActionID
    /// The keys that trigger the action; the first one is shown.
    let keys: [Key]
    let scopes: Set<Scope>
    /// A one-line description for users, in the imperative.
    let help: String
    /// The short label in the hint line, or nil if the action is not listed there.
    let hint: String?

    init(_ id: ActionID, _ keys: [Key], _ scopes: Set<Scope>, _ help: String, hint: String? = nil) {
        self.id = id
        self.keys = keys
        self.scopes = scopes
        self.help = help
        self.hint = hint
    }
}

/// The name of an action, used by keys, the palette and the documentation, such as `list.follow`.
/// Each feature adds its own in an extension.
struct ActionID: Sendable, Hashable, CustomStringConvertible {
    let name: String

    init(_ name: String) { self.name = name }

    var description: String { name }
}

extension ActionID {
    static let quit = ActionID("quit")
    static let close = ActionID("close")
    static let back = ActionID("back")
    static let help = ActionID("help")
    static let searchHelp = ActionID("help.search")
    static let palette = ActionID("palette")
    static let redraw = ActionID("redraw")
    static let suspend = ActionID("suspend")
    static let toggleMouse = ActionID("mouse.toggle")
    static let cancel = ActionID("cancel")

    // Movement, the same everywhere.
    static let up = ActionID("up")
    static let down = ActionID("down")
    static let left = ActionID("left")
    static let right = ActionID("right")
    static let first = ActionID("first")
    static let last = ActionID("last")
    static let pageUp = ActionID("page.up")
    static let pageDown = ActionID("page.down")
    static let halfPageUp = ActionID("page.half-up")
    static let halfPageDown = ActionID("page.half-down")

    static let otherPane = ActionID("pane.other")
    static let showAlone = ActionID("pane.alone")

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
    static let breakOn = ActionID("break")
    static let copyCurl = ActionID("copy.curl")
    static let copyHead = ActionID("copy.head")
    static let copyBody = ActionID("copy.body")
    static let delete = ActionID("delete")
    static let deleteShown = ActionID("delete.shown")
    static let columns = ActionID("list.columns")
    static let reload = ActionID("reload")

    static let keepColumns = ActionID("columns.keep")
    static let switchColumn = ActionID("columns.switch")
    static let moveColumnUp = ActionID("columns.move-up")
    static let moveColumnDown = ActionID("columns.move-down")
    static let standardColumns = ActionID("columns.standard")

    static let onlyHost = ActionID("filter.host")
    static let notHost = ActionID("filter.not-host")
    static let onlyPath = ActionID("filter.path")
    static let onlyStatus = ActionID("filter.status")
    static let undoFilter = ActionID("filter.undo")
    static let nameFilter = ActionID("filter.name")
    static let showFilters = ActionID("filter.saved")
    static let pickFilter = ActionID("filter.saved.pick")
    static let deleteFilter = ActionID("filter.saved.delete")

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

    static let filterMessages = ActionID("messages.filter")
    static let clearMessageFilter = ActionID("messages.filter.clear")
    static let followMessages = ActionID("messages.follow")
    static let hidePings = ActionID("messages.pings")
    static let nextMessage = ActionID("messages.next")
    static let previousMessage = ActionID("messages.previous")
}

extension ScreenModel {
    /// The action of a key here: of the part with the focus, or else of the one beside it.
    func action(for key: Key) -> ActionID? {
        ActionTable.action(for: key, in: scopes)
            ?? actionsBeside.first { $0.keys.contains(key) }?.id
    }

    var actionsBeside: [Action] { ActionTable.actions(beside: scopes, in: scopesBeside) }
}

extension ActionTable {
    static let panes = [
        Action(
            .otherPane, [.tab], [.panes], "Go to the other pane: the list, or the exchange",
            hint: "other pane"),
        Action(
            .showAlone, [Key("Z")], [.panes],
            "Show the exchange alone, its request beside its response", hint: "alone"),
    ]

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
            .breakOn, [Key("B")], [.list, .detail],
            "Break on this: hold requests like it from now on, or no longer", hint: "break"),
        Action(.copyCurl, [Key("Y")], [.list, .detail, .compose], "Copy it as a curl command"),
        Action(.copyHead, [.alt("h")], [.list, .detail], "Copy the response's head"),
        Action(.copyBody, [.alt("b")], [.list, .detail], "Copy the response's body"),
        Action(
            .reload, [Key("R"), Key(.function(5))],
            [.list, .tree, .summary, .diff, .traffic, .rules], "Reload everything"),
    ]

    static let choosingColumns = [
        Action(
            .keepColumns, [.enter], [.columns], "Show the list with these columns", hint: "keep"),
        Action(
            .switchColumn, [.space, Key("x")], [.columns], "Switch the column on or off",
            hint: "on/off"),
        Action(
            .moveColumnUp, [Key("K"), Key(.up, .alt)], [.columns],
            "Move the column up: left in the list", hint: "up"),
        Action(
            .moveColumnDown, [Key("J"), Key(.down, .alt)], [.columns],
            "Move the column down: right in the list", hint: "down"),
        Action(
            .standardColumns, [Key("V")], [.columns], "Restore the columns that fit the width",
            hint: "standard"),
    ]

    static let filtering = [
        Action(.onlyHost, [Key("i")], [.list, .tree], "Show only this host"),
        Action(.notHost, [Key("x")], [.list, .tree], "Hide this host"),
        Action(.onlyPath, [Key("P")], [.list, .tree], "Show only this path"),
        Action(.onlyStatus, [Key("s")], [.list], "Show only this status"),
        Action(.undoFilter, [Key("u")], [.list, .tree], "Go back to the previous filter"),
        Action(.nameFilter, [Key("N")], [.list, .filters], "Save the filter under a name"),
        Action(.showFilters, [Key("@")], [.list], "Show the saved filters"),
        Action(.pickFilter, [.enter], [.filters], "List what the filter shows", hint: "list it"),
        Action(
            .deleteFilter, [Key("d"), Key(.delete)], [.filters], "Delete the saved filter",
            hint: "delete"),
    ]

    static let detail =
        [
            Action(.nextTab, [.tab], [.alone], "Show the next tab", hint: "tab"),
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
                "Search heads and bodies (0x and hex digits: bytes)", hint: "search"),
            Action(.nextMatch, [Key("n")], [.detail], "Go to the next match"),
            Action(.previousMatch, [Key("N")], [.detail], "Go to the previous match"),
            Action(.copyLine, [Key("c")], [.detail], "Copy the line"),
            Action(.copyShownBody, [Key("C")], [.detail], "Copy the shown body, decoded"),
            Action(.saveBody, [Key("b")], [.detail], "Save the body to a file", hint: "save"),
            Action(.editBody, [Key("E")], [.detail], "View the body in $EDITOR"),
        ]
        + zip(ActionID.tabs, DetailTab.allCases).map { id, tab in
            Action(id, [Key(tab.digit)], [.detail], "Show \(tab.title)")
        }

    static let messages = [
        Action(.filterMessages, [Key("f")], [.messages], "Filter the messages", hint: "filter"),
        Action(
            .clearMessageFilter, [.control("u")], [.messages],
            "Clear the filter; the selected message stays"),
        Action(
            .followMessages, [Key("F")], [.messages], "Follow new messages, or stop",
            hint: "follow"),
        Action(.hidePings, [Key("P")], [.messages], "Hide pings and pongs, or show them"),
        Action(
            .nextMessage, [Key(">")], [.messages],
            "Go to the next message, also while one is open"),
        Action(.previousMessage, [Key("<")], [.messages], "Go to the previous message"),
    ]
}

/// The tabs of an exchange, each of which an action shows.
enum DetailTab: Int, Sendable, Hashable, CaseIterable {
    case overview, request, response, cookies, timeline, raw, hex, messages, changes, security

    /// The key that shows the tab, starting at 1; the tenth tab has 0.
    var digit: Character { Character("\((rawValue + 1) % 10)") }

    var title: String {
        switch self {
        case .overview: "Overview"
        case .request: "Request"
        case .response: "Response"
        case .cookies: "Cookies"
        case .timeline: "Timeline"
        case .raw: "Raw"
        case .hex: "Hex"
        case .messages: "Messages"
        case .changes: "Changes"
        case .security: "Security"
        }
    }

    /// The tab that is shown beside it if there is room: the other message.
    var beside: DetailTab? {
        switch self {
        case .request: .response
        case .response: .request
        default: nil
        }
    }

    /// A shorter title for a narrow tab bar.
    var shortTitle: String {
        switch self {
        case .overview: "All"
        case .request: "Req"
        case .response: "Resp"
        case .cookies, .raw, .hex: title
        case .timeline: "Time"
        case .messages: "Msgs"
        case .changes: "Changes"
        case .security: "Sec"
        }
    }

    /// The next or previous one of some tabs; wraps around.
    func moved(by step: Int, among tabs: [DetailTab]) -> DetailTab {
        guard let index = tabs.firstIndex(of: self) else { return .overview }
        return tabs[((index + step) % tabs.count + tabs.count) % tabs.count]
    }
}
