/// A movement through lines, the same on every screen that has some.
enum Movement: Sendable, Hashable {
    case lines(Int)
    /// By a page or half of one, in rows of the screen.
    case rows(Int)
    case first, last

    /// Returns nil for an action that is no movement.
    init?(_ action: ActionID, page: Int, half: Int) {
        switch action {
        case .up: self = .lines(-1)
        case .down: self = .lines(1)
        case .pageUp: self = .rows(-max(1, page))
        case .pageDown: self = .rows(max(1, page))
        case .halfPageUp: self = .rows(-max(1, half))
        case .halfPageDown: self = .rows(max(1, half))
        case .first: self = .first
        case .last: self = .last
        default: return nil
        }
    }

    /// By how many rows the wheel of a mouse scrolls; nil for other events.
    static func wheel(_ mouse: MouseEvent) -> Int? {
        switch mouse.kind {
        case .scrollUp: -3
        case .scrollDown: 3
        case .press, .release, .drag: nil
        }
    }
}

/// The selected line and the visible lines of a list; the selected line is always visible.
struct ListCursor: Sendable, Hashable {
    /// The selected line; 0 if the list is empty.
    private(set) var selected = 0
    private(set) var top = 0
    var count = 0 { didSet { reveal() } }
    /// The number of lines that fit, at least one.
    var height = 1 { didSet { reveal() } }

    var visible: Range<Int> { top..<max(top, min(count, top + height)) }

    mutating func select(_ line: Int) {
        selected = line
        reveal()
    }

    /// Follows the lines of a list that changed above or below.
    mutating func place(selected: Int, top: Int, count: Int) {
        (self.selected, self.top) = (selected, top)
        self.count = count
    }

    mutating func move(by step: Int) { select(selected + step) }

    mutating func move(_ movement: Movement) {
        switch movement {
        case .lines(let step), .rows(let step): move(by: step)
        case .first: select(0)
        case .last: select(count - 1)
        }
    }

    /// Scrolls; the selection stays visible.
    mutating func scroll(by step: Int) {
        top = max(0, min(count - height, top + step))
        select(max(top, min(selected, top + height - 1)))
    }

    func movement(_ action: ActionID) -> Movement? {
        Movement(action, page: height, half: height / 2)
    }

    /// Performs an action for movement; returns false for other actions.
    mutating func perform(_ action: ActionID) -> Bool {
        guard let movement = movement(action) else { return false }
        move(movement)
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
        case again
    }

    /// Scrolls with the wheel, and selects the line that is clicked.
    mutating func use(_ mouse: MouseEvent) -> Press {
        if let step = Movement.wheel(mouse) {
            scroll(by: step)
            return .nothing
        }
        guard mouse.kind == .press, mouse.button == .left, let line = line(at: mouse.position.row)
        else { return .nothing }
        let isAgain = line == selected
        select(line)
        return isAgain ? .again : .selected
    }

    private mutating func reveal() {
        selected = max(0, min(count - 1, selected))
        if selected < top { top = selected }
        if selected >= top + height { top = selected - height + 1 }
        top = max(0, min(top, count - height))
    }
}

/// The position in a long list of lines: the line of the cursor, and what is on the screen.
struct LinePager: Sendable, Hashable {
    private(set) var cursor = 0
    /// The first line on the screen, and how many of its rows are above the screen.
    private(set) var top = 0
    private(set) var topRow = 0
    /// The number of columns to the left of the screen, if lines are not wrapped.
    private(set) var left = 0
    private(set) var wraps = true

    /// How many columns one sideways step scrolls.
    private static let columnStep = 8

    mutating func toggleWrapping() {
        wraps.toggle()
        left = 0
        topRow = 0
    }

    mutating func moveSideways(_ steps: Int) {
        guard !wraps else { return }
        left = max(0, left + steps * LinePager.columnStep)
    }

    mutating func go(to line: Int, count: Int) {
        cursor = max(0, min(line, count - 1))
        topRow = 0
    }

    /// Moves the cursor by lines. In a line that is taller than the screen it moves by rows.
    mutating func move(by step: Int, count: Int, rows: Int, height: (Int) -> Int) {
        if abs(step) == 1, cursor == top {
            let isBelow = height(top) - topRow > rows
            if step == 1, isBelow {
                topRow += 1
                return
            }
            if step == -1, topRow > 0 {
                topRow -= 1
                return
            }
        }
        cursor = max(0, min(cursor + step, count - 1))
    }

    /// Moves the cursor by lines, or scrolls by rows.
    mutating func move(_ movement: Movement, count: Int, rows: Int, height: (Int) -> Int) {
        switch movement {
        case .lines(let step): move(by: step, count: count, rows: rows, height: height)
        case .rows(let step): scroll(by: step, count: count, rows: rows, height: height)
        case .first: go(to: 0, count: count)
        case .last: go(to: count - 1, count: count)
        }
    }

    /// Moves the screen and the cursor after lines were added or removed above it.
    mutating func shift(by step: Int, count: Int) {
        top = max(0, min(top + step, count - 1))
        topRow = 0
        cursor = max(0, min(cursor + step, count - 1))
    }

    /// Scrolls by rows, and the cursor with it: nothing is skipped, however many rows a line takes.
    /// The last screen is a full one; from there on only the cursor moves.
    mutating func scroll(by step: Int, count: Int, rows: Int, height: (Int) -> Int) {
        let former = (top: top, topRow: topRow)
        if step < 0 {
            moveUp(-step, height)
        } else {
            moveDown(step, count, height)
            let last = LinePager.lastScreen(count, rows, height)
            if (top, topRow) > last { (top, topRow) = former > last ? former : last }
        }
        if (top, topRow) == former {
            cursor = step < 0 ? 0 : max(0, count - 1)
        } else {
            let last = lastWholeLine(count, rows, height)
            cursor = max(top, min(cursor + top - former.top, last))
        }
    }

    private mutating func moveDown(_ count: Int, _ lineCount: Int, _ height: (Int) -> Int) {
        topRow += count
        while top < lineCount - 1, case let tall = height(top), topRow >= tall {
            topRow -= tall
            top += 1
        }
    }

    private mutating func moveUp(_ count: Int, _ height: (Int) -> Int) {
        topRow -= count
        while topRow < 0, top > 0 {
            top -= 1
            topRow += height(top)
        }
        topRow = max(0, topRow)
    }

    private static func lastScreen(
        _ count: Int, _ rows: Int, _ height: (Int) -> Int
    ) -> (Int, Int) {
        var line = max(0, count)
        var used = 0
        while line > 0, used < rows {
            line -= 1
            used += height(line)
        }
        return (line, max(0, used - rows))
    }

    /// The last line that is completely on the screen, or the first one if there is none.
    private func lastWholeLine(_ count: Int, _ rows: Int, _ height: (Int) -> Int) -> Int {
        var line = top
        var used = height(line) - topRow
        while line + 1 < count, case let more = height(line + 1), used + more <= rows {
            line += 1
            used += more
        }
        return line
    }

    /// Scrolls so that the cursor is on the screen.
    mutating func show(rows: Int, count: Int, height: (Int) -> Int) {
        cursor = max(0, min(cursor, count - 1))
        top = max(0, min(top, count - 1))
        if cursor < top {
            top = cursor
            topRow = 0
        }
        guard cursor > top else { return }
        // Only lines that can be on the screen together with the cursor are measured.
        var used = height(cursor)
        var first = cursor
        while first > top, used < rows {
            used += height(first - 1)
            if used <= rows || first - 1 == top && used - topRow <= rows {
                first -= 1
            } else {
                break
            }
        }
        if first > top {
            top = first
            topRow = 0
        }
    }
}
