/// Which line of a list is selected, and which lines are seen; the selected one always is.
struct ListCursor: Sendable, Hashable {
    /// The selected line; 0 where there are none.
    private(set) var selected = 0
    /// The first line that is seen.
    private(set) var top = 0
    /// Lines of the list.
    var count = 0 { didSet { reveal() } }
    /// Lines that have room, at least one.
    var height = 1 { didSet { reveal() } }

    /// The lines that are seen.
    var visible: Range<Int> { top..<max(top, min(count, top + height)) }

    mutating func select(_ line: Int) {
        selected = line
        reveal()
    }

    mutating func move(by step: Int) { select(selected + step) }

    /// Moves what is seen; the selection stays in sight.
    mutating func scroll(by step: Int) {
        top = max(0, min(count - height, top + step))
        select(max(top, min(selected, top + height - 1)))
    }

    /// Does what an action for moving about means; false where it means something else.
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

    /// The line that is drawn so many rows below the first one that is seen; nil where none is.
    func line(at row: Int) -> Int? {
        let line = top + row
        return visible.contains(line) ? line : nil
    }

    /// What a mouse does to a list whose first line is drawn in row 0.
    enum Press: Sendable, Hashable {
        case nothing
        case selected
        /// The line was selected before.
        case again
    }

    /// Scrolls with the wheel, and selects the line that is pressed.
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
