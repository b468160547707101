internal import ProxydCurlCommand
internal import ProxydHTTPModel

/// Typing into a cell.
extension ComposeScreen {
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

    private mutating func take(
        _ typing: Typing, _ goesOn: Bool
    ) throws(RequestDraft.Problem) {
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
            let index = top + mouse.position.row - 1
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
