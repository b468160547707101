internal import ProxydTerminalLayout
internal import ProxydPresentation

/// The layout and drawing of screens.
extension App {
    /// The number of rows at the bottom that belong to no screen: hints and status.
    static let barRowCount = 2

    /// Draws the current state.
    func drawn(now: Int64) -> Screen {
        Screen.drawn(size) { canvas in
            for index in (firstVisible..<max(firstVisible, entries.count)) {
                draw(at: index, canvas, now)
            }
            guard size.rows > App.barRowCount else { return }
            if !coversHints { drawHints(canvas.part(row: size.rows - 2, rows: 1)) }
            StatusBar.draw(self, into: canvas.part(row: size.rows - 1, rows: 1), now: now)
        }
    }

    /// The part of the terminal that a screen draws in.
    func frame(at index: Int) -> Rectangle? {
        guard entries.indices.contains(index) else { return nil }
        let rows = max(0, size.rows - App.barRowCount)
        switch entries[index].model.presentation {
        case .full:
            return Rectangle(column: 0, row: 0, size: Size(columns: size.columns, rows: rows))
        case .bottom(let wanted):
            let count = min(wanted, max(0, size.rows - 1))
            return Rectangle(
                column: 0, row: max(0, size.rows - 1 - count),
                size: Size(columns: size.columns, rows: count))
        case .box(let wanted):
            let inner = Size(
                columns: min(wanted.columns, size.columns - 4), rows: min(wanted.rows, rows - 2))
            return Rectangle(
                column: (size.columns - inner.columns) / 2, row: (rows - inner.rows) / 2,
                size: inner)
        }
    }

    func context(at index: Int, _ now: Int64) -> Context {
        Context(
            size: frame(at: index)?.size ?? Size(columns: 0, rows: 0), now: now, clock: clock,
            status: status, habits: habits, isOnTop: index == entries.count - 1)
    }

    private var firstVisible: Int {
        entries.lastIndex { $0.model.presentation == .full } ?? 0
    }

    private var coversHints: Bool {
        if case .bottom? = entries.last?.model.presentation { return true }
        return false
    }

    private func draw(at index: Int, _ canvas: Canvas, _ now: Int64) {
        guard let frame = frame(at: index) else { return }
        if case .box = entries[index].model.presentation {
            let outer = canvas.part(
                column: frame.column - 1, row: frame.row - 1, columns: frame.size.columns + 2,
                rows: frame.size.rows + 2)
            Box.draw(entries[index].model.title, into: outer)
        }
        let part = canvas.part(
            column: frame.column, row: frame.row, columns: frame.size.columns,
            rows: frame.size.rows)
        part.fill()
        entries[index].model.draw(into: part, context(at: index, now))
    }

    /// Draws the latest notice, or else the keys that apply here.
    private func drawHints(_ canvas: Canvas) {
        if let notice {
            canvas.draw(notice.text, row: 0, Notice.style(notice.kind))
            return
        }
        guard let model = entries.last?.model, !model.places.contains(.typing) else {
            draw(entries.last?.model.hints.map(\.line) ?? [], canvas)
            return
        }
        let isLowest = entries.count == 1
        let actions = ActionTable.actions(in: model.places)
        let general = actions.filter { !$0.places.isDisjoint(with: [.everywhere, .moving]) }
        // Space is kept for the keys for going back and for help; the other general keys follow.
        let always = [
            KeyHint(Key("q"), isLowest ? "leave" : "back").line,
            actions.first { $0.id == .help }.flatMap(App.hint),
        ].compactMap { $0 }
        let used = always.reduce(0) { $0 + $1.columnCount }
        let own = actions.filter { $0.places.isDisjoint(with: [.everywhere, .moving]) }
        let column = draw(
            own.compactMap(App.hint), canvas.part(columns: max(0, canvas.columns - used)))
        let rest = general.filter { $0.id != .help && !(isLowest && $0.id == .quit) }
        draw(always + rest.compactMap(App.hint), canvas.part(column: column))
    }

    /// Draws the hints that fit, one after another; returns the column after the last.
    @discardableResult
    private func draw(_ hints: [StyledText], _ canvas: Canvas) -> Int {
        var column = 0
        for hint in hints where column + hint.columnCount <= canvas.columns {
            column = canvas.draw(hint, column: column, row: 0)
        }
        return column
    }

    /// The key and label of an action that has a hint.
    private static func hint(_ action: Action) -> StyledText? {
        guard let hint = action.hint, let key = action.keys.first else { return nil }
        return KeyHint(key, hint).line
    }
}

extension Notice {
    static func style(_ kind: Kind) -> Style {
        switch kind {
        case .information: Style(.plain)
        case .success: Style(.good)
        case .problem: Style(.bad).adding(.bold)
        }
    }
}
