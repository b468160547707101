internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Statistics of all rows that match a filter: counts, durations, sizes and the slowest rows.
struct SummaryScreen: ScreenModel {
    typealias Answer = Filter

    enum News: Sendable {
        /// An intermediate or final result.
        case counting(Found)
        case counted(Found)
        /// The state of the store, to detect changes.
        case extent(StoreExtent)
        case focused(Filter)
    }

    let title = "Summary"
    let scopes: Set<Action.Scope> = [.everywhere, .moving, .summary]
    private static let barCount = 1
    /// The minimum width for two columns that fit all measures.
    private static let twoColumnWidth = 118

    let filter: Filter
    private(set) var left: [SummaryLine] = []
    private(set) var right: [SummaryLine] = []
    private var summary: ExchangeSummary?
    private var rows: [ExchangeID: ExchangeRow] = [:]
    /// The selected line, counted through both columns, or nil if none was selected yet. It is
    /// not kept in a `ListCursor`, where any line can be selected and the selected one stays
    /// visible: here only some lines are choices, and scrolling may leave the selection behind.
    private(set) var cursor: Int?
    /// The visible rows, of both columns if there are two.
    private var seen = ListCursor()
    private var isWide = false

    private var state = State.idle
    private var extent: StoreExtent?
    private var pace = RecountPace()

    private enum State {
        /// It has not started, or everything was counted.
        case idle
        /// The share of the store that was scanned, if known.
        case counting(Double?)
        /// Counting was aborted before the end.
        case givenUp
        case failed(String)

        var isCounting: Bool {
            if case .counting = self { return true }
            return false
        }
    }

    init(filter: Filter) { self.filter = filter }

    private var lines: [SummaryLine] { left + right }
    var selected: SummaryLine? { cursor.flatMap { lines.indices.contains($0) ? lines[$0] : nil } }

    mutating func appear(_ context: Context) -> [Effect] {
        seen.height = max(1, context.size.rows - SummaryScreen.barCount)
        isWide = context.size.columns >= SummaryScreen.twoColumnWidth
        reveal()
        return summary == nil && !state.isCounting ? read(context) : []
    }

    // MARK: Moving

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        switch Movement(action, page: seen.height / 2, half: seen.height / 2) {
        case .lines(let step)?: move(by: step)
        case .rows(let step)?: seen.scroll(by: step)
        case .first?:
            seen.select(0)
            cursor = lines.firstIndex(where: \.isChoice)
        case .last?:
            cursor = lines.lastIndex(where: \.isChoice)
            reveal()
        case nil: return performOnChoices(action, context)
        }
        return []
    }

    private mutating func performOnChoices(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .left: jump(to: 0)
        case .right: jump(to: left.count)
        case .choose: return choose(context)
        case .reload: return read(context)
        case .cancel: return cancel()
        default: break
        }
        return []
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(let mouse) = event else { return nil }
        if let step = Movement.wheel(mouse) { seen.scroll(by: step) }
        guard mouse.kind == .press, mouse.button == .left,
            let line = line(at: mouse.position, context), lines[line].isChoice
        else { return [] }
        let isAgain = cursor == line
        cursor = line
        return isAgain ? choose(context) : []
    }

    private func line(at position: Position, _ context: Context) -> Int? {
        guard let row = seen.line(at: position.row) else { return nil }
        guard isWide else { return lines.indices.contains(row) ? row : nil }
        let isRight = position.column > context.size.columns / 2
        guard isRight else { return left.indices.contains(row) ? row : nil }
        return right.indices.contains(row) ? left.count + row : nil
    }

    /// Moves to the next line that can be chosen.
    private mutating func move(by step: Int) {
        let lines = lines
        var next = (cursor ?? -1) + step
        while lines.indices.contains(next), !lines[next].isChoice { next += step }
        if lines.indices.contains(next) {
            cursor = next
            reveal()
        } else {
            // There is nothing more to choose, but the view still scrolls to what follows.
            seen.scroll(by: step)
        }
    }

    private mutating func jump(to start: Int) {
        guard let next = lines.indices.first(where: { $0 >= start && lines[$0].isChoice }) else {
            return
        }
        cursor = next
        reveal()
    }

    private mutating func reveal() {
        seen.count = isWide ? max(left.count, right.count) : lines.count
        guard let cursor else { return }
        seen.select(isWide && cursor >= left.count ? cursor - left.count : cursor)
    }

    private func choose(_ context: Context) -> [Effect] {
        switch selected?.choice {
        case .filter(let term):
            return [FocusedFilter.answer(FilterText.narrowed(filter, by: [term]), context)]
        case .open(let row): return [.ask(DetailScreen(row, filter: filter)) { .focused($0) }]
        case .nothing, nil: return []
        }
    }

    // MARK: Reading

    struct Found: Sendable {
        let summary: ExchangeSummary
        let share: Double?
        var rows: [ExchangeRow] = []
        let extent: StoreExtent
    }

    private mutating func read(_ context: Context) -> [Effect] {
        state = .counting(0)
        pace.begin(context.now)
        let filter = filter
        return [
            .work(
                Work("summary", on: .counts) { context, report in
                    let extent = try context.rows.extent()
                    let report = ReportPace.paced(report)
                    let summary = try context.rows.summary(filter) {
                        report(.counting(Found(summary: $0, share: $1, extent: extent)))
                    }
                    return .counted(
                        Found(
                            summary: summary, share: 1,
                            rows: try context.rows.rows(summary.slowest.map(\.id)), extent: extent))
                })
        ]
    }

    private mutating func cancel() -> [Effect] {
        guard state.isCounting else { return [] }
        state = .givenUp
        return [.cancelWork(slot: "summary")]
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .counting(let found):
            state = .counting(found.share)
            // The earlier result stays until everything has been counted again.
            if summary?.all.count ?? 0 <= found.summary.all.count { show(found, context) }
        case .counted(let found):
            state = .idle
            extent = found.extent
            pace.end(context.now)
            rows = Dictionary(found.rows.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            show(found, context)
        case .extent(let extent): return extent == self.extent ? [] : read(context)
        case .focused(let filter): return [.answer(filter)]
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        state = summary == nil ? .failed(words) : .idle
        return summary == nil ? [] : [.notify(.problem(words))]
    }

    mutating func storeChanged(_ context: Context) -> [Effect] { look(context) }

    /// Counts again after a change, but not too often.
    private mutating func look(_ context: Context) -> [Effect] {
        switch state {
        case .counting, .givenUp: return []
        case .idle, .failed: break
        }
        guard pace.isDue(context.now) else { return [] }
        if summary == nil { return read(context) }
        return [.work(Work("look", on: .rows, isQuiet: true) { .extent(try $0.rows.extent()) })]
    }

    private mutating func show(_ found: Found, _ context: Context) {
        summary = found.summary
        let former = selected?.text
        let made = SummaryLines(summary: found.summary, rows: rows, clock: context.clock)
        left = made.left
        right = made.right
        // The cursor stays on the same content.
        if let former { cursor = lines.firstIndex { $0.isChoice && $0.text == former } }
        if cursor == nil { cursor = lines.firstIndex(where: \.isChoice) }
        reveal()
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        let body = canvas.part(rows: max(0, canvas.rows - SummaryScreen.barCount))
        if case .failed(let problem) = state {
            body.drawRemark(problem, .bad)
        } else if summary == nil {
            body.drawRemark("counting…")
        }
        if isWide {
            let half = body.columns / 2
            draw(left, 0, body.part(columns: half - 2))
            draw(right, left.count, body.part(column: half + 1))
        } else {
            draw(lines, 0, body)
        }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1))
    }

    private func draw(_ lines: [SummaryLine], _ offset: Int, _ canvas: Canvas) {
        for (row, line) in lines.dropFirst(seen.top).prefix(canvas.rows).enumerated() {
            let barWidth = line.share == nil ? 0 : min(30, canvas.columns / 3)
            let valueColumn = canvas.columns - line.value.columnCount - 1
            let barColumn = valueColumn - barWidth - 2
            let textWidth = line.value.columnCount == 0 ? canvas.columns : max(8, barColumn - 1)
            canvas.part(columns: textWidth).drawFitted(line.text, row: row)
            canvas.draw(line.value, column: max(0, valueColumn), row: row)
            if let share = line.share, barColumn >= textWidth {
                let length = max(1, min(barWidth, Int((share * Double(barWidth)).rounded())))
                canvas.draw(
                    String(repeating: "▬", count: length), column: barColumn, row: row,
                    Style(.accent))
            }
            if cursor == row + seen.top + offset { canvas.tint(row: row, .selection) }
        }
    }

    private func drawInformation(_ canvas: Canvas) {
        var line = StyledText.filter(filter)
        if filter.matchesEverything { line.append("everything", Style(.dim)) }
        switch state {
        case .idle, .failed: break
        case .givenUp: line.append("  cancelled: not all were counted, R counts", Style(.warning))
        case .counting(let share): line += "  " + .progress("counting", share)
        }
        canvas.drawBar(line)
    }
}
