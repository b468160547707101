internal import ProxydCaptureModel
internal import ProxydCurlCommand
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding

/// A request being composed: a new one, or a captured one to be sent again with changes. The
/// captured exchange is never changed.
struct ComposeScreen: ScreenModel {
    typealias Answer = Never

    enum News: Sendable {
        case draft(RequestDraft)
        /// The body to be sent was checked; nil if it is valid.
        case checked(JSONSyntaxError?)
        /// The hold was decided; the text of the notice.
        case decided(String)
        case chosen(Choice)
        /// A filter for the list was chosen on the screen of the result.
        case focused(Filter)
    }

    enum Choice: Sendable {
        case discard
        case sendAnyway
        case editBody
        case keepEditing
    }

    /// The maximum size in bytes of a body that can be edited.
    private static let bodyByteCountMax = 64 << 20
    static let barCount = 2

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
    /// What is visible; brought up to date by `reveal`.
    var seen = ListCursor()
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

    var scopes: Set<Action.Scope> { typing == nil ? [.everywhere, .moving, .compose] : [.typing] }

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
                    let exchange = try context.exchanges
                        .exchange(id, bodyByteCountMax: ComposeScreen.bodyByteCountMax)
                        .orFail("the exchange is no longer in the store")
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
        case .chosen(.keepEditing), .focused: break
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
        case .editWithEditor: return edit(editedAtCursor)
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
        let question = ChoiceScreen<Choice>.confirming(
            "Discard the changes?", yes: ("yes", .discard), no: ("no, go on", .keepEditing))
        return [.ask(question) { .chosen($0) }]
    }

    // MARK: Moving

    mutating func reveal(_ context: Context) {
        let rows = rows
        seen.height = max(1, context.size.rows - ComposeScreen.barCount)
        seen.count = rows.count
        seen.select(rows.firstIndex(of: typing?.row ?? cursor) ?? 0)
    }

    // MARK: Rows

    mutating func performOnRow(_ action: ActionID, _ context: Context) -> [Effect] {
        let page = max(1, context.size.rows - ComposeScreen.barCount - 1)
        if let movement = Movement(action, page: page, half: page / 2) {
            move(movement)
            return []
        }
        switch action {
        case .left, .right: moveSideways(isRight: action == .right)
        case .nextSection: jump(1)
        case .previousSection: jump(-1)
        case .editCell: startTyping(cell)
        case .addItem: add(isBehind: true)
        case .insertItem: add(isBehind: false)
        case .removeItem: remove()
        case .moveItemUp: moveItem(-1)
        case .moveItemDown: moveItem(1)
        default: break
        }
        return []
    }

    private var stops: [ComposeRow] {
        rows.filter { row in
            if case .heading = row { return false }
            return true
        }
    }

    private mutating func move(_ movement: Movement) {
        let stops = stops
        guard let index = stops.firstIndex(of: cursor) else {
            cursor = stops.first ?? .method
            return
        }
        switch movement {
        case .lines(let step), .rows(let step):
            cursor = stops[max(0, min(stops.count - 1, index + step))]
        case .first: cursor = stops.first ?? .method
        case .last: cursor = stops.last ?? .method
        }
    }

    private mutating func jump(_ step: Int) {
        let parts: [ComposeRow] =
            [.method]
            + (grid?.sections ?? []).compactMap { section in stops.first { $0.section == section } }
        let here = parts.firstIndex { $0.section == cursor.section } ?? 0
        cursor = parts[((here + step) % parts.count + parts.count) % parts.count]
    }

    /// Moves between name and value; on the row of the method, through the usual methods.
    private mutating func moveSideways(isRight: Bool) {
        guard cursor == .method, let grid else {
            cell = isRight ? .value : .name
            return
        }
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
        let here = methods.firstIndex(of: grid.draft.method)
        let next = here.map { $0 + (isRight ? 1 : methods.count - 1) } ?? 0
        try? self.grid?.draft.setMethod(methods[next % methods.count])
    }

    // MARK: Items

    private mutating func add(isBehind: Bool) {
        let place: (ComposeSection, Int)
        switch cursor {
        case .method, .url: place = (.headers, isBehind ? grid?.count(.headers) ?? 0 : 0)
        case .item(let section, let index): place = (section, isBehind ? index + 1 : index)
        case .heading(let section), .nothing(let section), .new(let section, _):
            place = (section, 0)
        }
        guard place.0 != .body || grid?.text.lines != nil else { return }
        let cell: ComposeCell = place.0 == .body ? .value : .name
        typing = Typing(row: .new(place.0, place.1), cell: cell, field: TextField())
    }

    private mutating func remove() {
        guard case .item(let section, let index) = cursor else { return }
        grid?.remove(section, index)
        settle(section, index)
    }

    private mutating func moveItem(_ step: Int) {
        guard case .item(let section, let index) = cursor,
            grid?.move(section, index, by: step) == true
        else { return }
        cursor = .item(section, index + step)
    }

    /// Moves the cursor to an item, or to whatever is in its place.
    mutating func settle(_ section: ComposeSection, _ index: Int) {
        let count = grid?.count(section) ?? 0
        cursor = count == 0 ? .nothing(section) : .item(section, min(index, count - 1))
        if !rows.contains(cursor) { cursor = .method }
    }

    // MARK: Typing

    mutating func startTyping(_ cell: ComposeCell) {
        guard let grid else { return }
        switch cursor {
        case .method:
            typing = Typing(row: cursor, cell: .value, field: TextField(grid.draft.method))
        case .url:
            let url = grid.draft.url.description
            typing = Typing(row: cursor, cell: .value, field: TextField(url))
        case .item(let section, let index):
            let cell = section == .body ? .value : cell
            let text = cell == .name ? grid.name(section, index) : grid.value(section, index) ?? ""
            typing = Typing(row: cursor, cell: cell, field: TextField(text))
        case .nothing(let section) where section != .body || grid.text.lines != nil:
            let cell: ComposeCell = section == .body ? .value : .name
            typing = Typing(row: .new(section, 0), cell: cell, field: TextField())
        case .nothing, .heading, .new: break
        }
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        defer { reveal(context) }
        if case .mouse(let mouse) = event { return receive(mouse, context) }
        if case .paste(let text) = event, hold == nil, CurlInvocation.isLikely(text) {
            return take(curl: text)
        }
        guard typing != nil else { return nil }
        switch event {
        case .key(.escape), .key(.control("c")): typing = nil
        case .key(.enter): return finish(goesOn: false)
        case .key(.tab), .key(.backtab): return finish(goesOn: true)
        case .key(let key): _ = typing?.field.handle(key)
        case .paste(let text): typing?.field.insert(text)
        case .mouse, .resize: break
        }
        return []
    }

    /// Applies the typed text. `goesOn` continues with the other half. Invalid text stays in the
    /// field, and the reason is shown.
    private mutating func finish(goesOn: Bool) -> [Effect] {
        guard let typing else { return [] }
        do throws(RequestDraft.Problem) {
            try take(typing, goesOn)
        } catch {
            return [.notify(.problem(error.description))]
        }
        return []
    }

    private mutating func take(_ typing: Typing, _ goesOn: Bool) throws(RequestDraft.Problem) {
        let text = typing.field.text
        switch typing.row {
        case .method: try grid?.draft.setMethod(text)
        case .url: try grid?.draft.setURL(text)
        case .item(let section, let index):
            // A parameter without `=` stays that way while its value is empty.
            if !(typing.cell == .value && text.isEmpty && grid?.value(section, index) == nil) {
                try grid?.set(section, index, typing.cell, text)
            }
            self.typing = nil
            settle(section, index)
            if goesOn, section != .body { startTyping(typing.cell == .name ? .value : .name) }
            return
        case .new(let section, let index): return try add(typing, section, index)
        case .heading, .nothing: break
        }
        self.typing = nil
    }

    /// The name of a new row is followed by its value; then the row is added.
    private mutating func add(
        _ typing: Typing, _ section: ComposeSection, _ index: Int
    ) throws(RequestDraft.Problem) {
        let text = typing.field.text
        if typing.cell == .name {
            if section == .headers { try RequestDraft.check(fieldName: text, value: "") }
            self.typing = Typing(row: typing.row, cell: .value, field: TextField(), name: text)
            return
        }
        try grid?.insert(section, index, name: typing.name, value: text)
        self.typing = nil
        settle(section, index)
    }

    // MARK: The mouse

    /// A click selects a cell; another click on it starts editing.
    private mutating func receive(_ mouse: MouseEvent, _ context: Context) -> [Effect] {
        switch mouse.kind {
        case .scrollUp: return typing == nil ? performOnRow(.up, context) : []
        case .scrollDown: return typing == nil ? performOnRow(.down, context) : []
        case .press where typing == nil && mouse.position.row > 0:
            let rows = rows
            let index = seen.top + mouse.position.row - 1
            guard rows.indices.contains(index) else { return [] }
            if case .heading = rows[index] { return [] }
            let pressed: ComposeCell =
                mouse.position.column < ComposeLayout(context.size).valueColumn ? .name : .value
            let isAgain = rows[index] == cursor && pressed == cell
            cursor = rows[index]
            cell = pressed
            if isAgain { startTyping(cell) }
        default: break
        }
        return []
    }
}
