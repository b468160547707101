/// What keys do to rows.
extension ComposeScreen {
    mutating func performOnRow(_ action: ActionID, _ context: Context) -> [Effect] {
        let page = max(1, context.size.rows - ComposeScreen.barCount - 1)
        switch action {
        case .up: move(-1)
        case .down: move(1)
        case .pageUp: move(-page)
        case .pageDown: move(page)
        case .halfPageUp: move(-max(1, page / 2))
        case .halfPageDown: move(max(1, page / 2))
        case .first: move(-rows.count)
        case .last: move(rows.count)
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

    /// The rows that the cursor can be on.
    private var stops: [ComposeRow] {
        rows.filter { row in
            if case .heading = row { return false }
            return true
        }
    }

    private mutating func move(_ count: Int) {
        let stops = stops
        guard let index = stops.firstIndex(of: cursor), !stops.isEmpty else {
            cursor = stops.first ?? .method
            return
        }
        cursor = stops[max(0, min(stops.count - 1, index + count))]
    }

    /// Moves to the first row of the next or previous section.
    private mutating func jump(_ step: Int) {
        let parts: [ComposeRow] =
            [.method]
            + (grid?.sections ?? []).compactMap { section in
                stops.first { $0.section == section }
            }
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
}
