/// The selected line and the visible lines of a list; the selected line is always visible.
struct ListCursor: Sendable, Hashable {
    /// The selected line; 0 if the list is empty.
    private(set) var selected = 0
    /// The first visible line.
    private(set) var top = 0
    /// The number of lines in the list.
    var count = 0 { didSet { reveal() } }
    /// The number of lines that fit, at least one.
    var height = 1 { didSet { reveal() } }

    /// The visible lines.
    var visible: Range<Int> { top..<max(top, min(count, top + height)) }

    mutating func select(_ line: Int) {
        selected = line
        reveal()
    }

    mutating func move(by step: Int) { select(selected + step) }

    /// Scrolls; the selection stays visible.
    mutating func scroll(by step: Int) {
        top = max(0, min(count - height, top + step))
        select(max(top, min(selected, top + height - 1)))
    }

    /// Performs an action for movement; returns false for other actions.
    mutating func perform(_ action: ActionID) -> Bool {
        switch action {
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: move(by: -height)
        case .pageDown: move(by: height)
        case .halfPageUp: move(by: -max(1, height / 2))
        case .halfPageDown: move(by: max(1, height / 2))
        case .first: select(0)
        case .last: select(count - 1)
        default: return false
        }
        return true
    }

    /// The line at a row below the first visible one, or nil if there is none.
    func line(at row: Int) -> Int? {
        let line = top + row
        return visible.contains(line) ? line : nil
    }

    /// The effect of a mouse event on a list whose first line is in row 0.
    enum Press: Sendable, Hashable {
        case nothing
        case selected
        /// The line was already selected.
        case again
    }

    /// Scrolls with the wheel, and selects the line that is clicked.
    mutating func use(_ mouse: MouseEvent) -> Press {
        switch mouse.kind {
        case .scrollUp: scroll(by: -3)
        case .scrollDown: scroll(by: 3)
        case .press where mouse.button == .left:
            guard let line = line(at: mouse.position.row) else { return .nothing }
            let isAgain = line == selected
            select(line)
            return isAgain ? .again : .selected
        default: break
        }
        return .nothing
    }

    private mutating func reveal() {
        selected = max(0, min(count - 1, selected))
        if selected < top { top = selected }
        if selected >= top + height { top = selected - height + 1 }
        top = max(0, min(top, count - height))
    }
}
