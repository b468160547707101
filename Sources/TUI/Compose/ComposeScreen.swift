internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydCurlCommand
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydOperations

/// A request being composed: a new one, or a captured one to be sent again with changes. The
/// captured exchange is never changed.
struct ComposeScreen: ScreenModel {
    typealias Answer = Never

    enum News: Sendable {
        /// The request of the exchange was read.
        case draft(RequestDraft)
        /// The body to be sent was checked; nil if it is valid.
        case checked(JSONSyntaxError?)
        /// The hold was decided; the text of the notice.
        case decided(String)
        case chosen(Choice)
        /// A filter for the list was chosen on the screen of the result.
        case focused(Filter)
    }

    /// The answers of dialogs above this screen.
    enum Choice: Sendable {
        case discard
        case sendAnyway
        case editBody
        case goOn
    }

    /// The maximum size in bytes of a body that can be edited.
    private static let bodyByteCountMax = 64 << 20
    /// The number of rows that do not belong to the request: the title, and facts about the body.
    static let barCount = 2

    /// The text being typed.
    struct Typing: Sendable {
        var row: ComposeRow
        var cell: ComposeCell
        var field: TextField
        /// The name of a row that is being added, after it was typed.
        var name = ""
    }

    /// The exchange that the request is based on, or nil for a new request.
    let original: ExchangeRow?
    /// The hold that the request belongs to, or nil if the request is to be sent.
    let hold: (any OpenedHold)?
    var grid: ComposeGrid?
    private(set) var former: RequestDraft?
    /// Why there is nothing to edit.
    private(set) var problem: String?
    var cursor = ComposeRow.method
    var cell = ComposeCell.value
    var top = 0
    var typing: Typing?
    /// The part of the request that is in the editor.
    enum Edited: Sendable, Hashable {
        case head
        case body
        case part(Int)
    }

    var edited = Edited.head
    /// A head from the editor that could not be parsed; the editor reopens with it.
    var refusedHead: [UInt8]?
    /// The last request that was sent: it is in the store, so closing does not lose it.
    var sent: Request?

    /// Creates a screen for the request of an exchange, or for a new one.
    init(_ original: ExchangeRow?) {
        self.original = original
        hold = nil
        if original == nil {
            begin(RequestDraft())
            cursor = .url
        }
    }

    /// Creates a screen for a held request; sending it lets the request continue.
    init(held hold: any OpenedHold, _ draft: RequestDraft) {
        original = nil
        self.hold = hold
        begin(draft)
    }

    var title: String {
        hold == nil ? original.map { "Edit \($0.idText)" } ?? "Compose" : "Held request"
    }

    var places: Set<Action.Place> {
        typing == nil ? [.everywhere, .moving, .compose] : [.typing]
    }

    var rows: [ComposeRow] { grid?.rows(typing?.row) ?? [] }
    var isChanged: Bool { grid.map { $0.draft.request } != former.map { $0.request } }

    private mutating func begin(_ draft: RequestDraft) {
        grid = ComposeGrid(draft)
        former = draft
    }

    /// Replaces the request with one from a curl command; the change can be undone.
    mutating func take(curl text: String) -> [Effect] {
        do {
            // Terminals send line ends of pasted text as carriage returns.
            let text = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            grid = ComposeGrid(try RequestDraft(try CurlInvocation(text)))
        } catch {
            return [.notify(.problem("\(error)"))]
        }
        typing = nil
        refusedHead = nil
        cursor = .url
        return [.notify(.success("the curl command was pasted as a request"))]
    }

    mutating func appear(_ context: Context) -> [Effect] {
        reveal(context)
        guard grid == nil, let id = original?.id else { return [] }
        return [
            .work(
                Work("request", on: .details) { context in
                    guard
                        let exchange = try context.exchanges.exchange(
                            id, bodyByteCountMax: ComposeScreen.bodyByteCountMax)
                    else { throw WorkFailure("the exchange is no longer in the store") }
                    guard let draft = RequestDraft(exchange.request) else {
                        throw WorkFailure("the request is malformed and cannot be edited")
                    }
                    return .draft(draft)
                })
        ]
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .draft(let draft): begin(draft)
        case .checked(let problem): return problem.map { askAboutJSON($0) } ?? sendAsItIs()
        case .decided(let words): return [.close, .notify(.success(words))]
        case .chosen(.discard): return [.close]
        case .chosen(.sendAnyway): return sendAsItIs()
        case .chosen(.editBody): return edit(.body)
        // A filter chosen on the screen of the result does not close a draft that is being edited.
        case .chosen(.goOn), .focused: break
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        if hold != nil { return [.notify(.problem(words))] }
        problem = words
        return []
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        guard grid != nil else { return [] }
        defer { reveal(context) }
        switch action {
        case .sendDraft: return send()
        case .sendDraftAnotherWay: return sendAnotherWay()
        case .editWithEditor:
            return edit(editedAtCursor)
        case .editBodyWithEditor: return edit(.body)
        case .layOutBody: return layOutBody()
        case .editCell where !isTypedHere: return edit(editedAtCursor)
        case .revertDraft: revert()
        case .close: return close()
        case .copyURL, .copyCurl: return copy(action)
        default: return performOnRow(action, context)
        }
        return []
    }

    /// The part under the cursor, for the editor.
    private var editedAtCursor: Edited {
        switch cursor {
        case .item(.parts, let index): .part(index)
        default: cursor.section == .body || cursor.section == .form ? .body : .head
        }
    }

    /// Whether what the cursor is on can be typed on the screen: everything except the contents of
    /// parts that are not one short line of text.
    private var isTypedHere: Bool {
        guard case .item(.parts, let index) = cursor, cell == .value else { return true }
        return grid?.value(.parts, index) != nil
    }

    private mutating func revert() {
        if let former { begin(former) }
        refusedHead = nil
        if !rows.contains(cursor) { cursor = .method }
    }

    /// Asks before changes are discarded.
    private func close() -> [Effect] {
        guard isChanged, grid?.draft.request != sent else { return [] }
        return [
            .ask(
                ChoiceScreen<Choice>(
                    "Discard the changes?",
                    [
                        .init(key: Key("y"), name: "yes", answer: .discard),
                        .init(key: Key("n"), name: "no, go on", answer: .goOn),
                    ], selected: 1)
            ) { .chosen($0) }
        ]
    }

    // MARK: Moving

    /// Scrolls so that the cursor is visible.
    mutating func reveal(_ context: Context) {
        let rows = rows
        let room = max(1, context.size.rows - ComposeScreen.barCount)
        guard let index = rows.firstIndex(of: typing?.row ?? cursor) else {
            top = 0
            return
        }
        if index < top { top = index }
        if index >= top + room { top = index - room + 1 }
        top = max(0, min(top, rows.count - room))
    }
}
