internal import ProxydAssertions
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydPresentation
internal import ProxydRules

/// Compares two sets of exchanges: what is new, gone, changed or slower.
struct TrafficScreen: LineListScreen {
    typealias Answer = Filter

    enum News: Sendable {
        /// How many exchanges were read so far.
        case reading(Int)
        case compared(TrafficWork.Result)
        /// The only exchange of a difference; nil if it is gone.
        case found(ExchangeRow?)
        case focused(Filter)
    }

    private enum State {
        case reading(Int)
        case compared(TrafficWork.Result)
        case failed(String)
        case givenUp
    }

    let title = "Two sets of exchanges"
    let scopes: Set<Action.Scope> = [.everywhere, .moving, .traffic]
    /// The two filters above, the counts below.
    static let barCounts = (above: 2, below: 1)
    private static let openSlot = "open"

    private var order: TrafficOrder
    private var state: State?
    var cursor = ListCursor()

    init(_ order: TrafficOrder) { self.order = order }

    private var entries: [TrafficComparison.Entry] {
        guard case .compared(let result) = state else { return [] }
        return result.entries
    }

    mutating func appear(_ context: Context) -> [Effect] {
        fit(context)
        return state == nil ? read() : []
    }

    // MARK: Moving

    mutating func performOnLine(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .openDifference: return openLine(context)
        case .swapSides:
            (order.before, order.after) = (order.after, order.before)
            return read()
        case .reload: return read()
        case .cancel:
            guard case .reading = state else { return [] }
            state = .givenUp
            return [.cancelWork(slot: TrafficWork.slot)]
        default: return []
        }
    }

    mutating func openLine(_ context: Context) -> [Effect] {
        guard entries.indices.contains(cursor.selected) else { return [] }
        let entry = entries[cursor.selected]
        if let before = entry.before, let after = entry.after {
            return [.open(DiffScreen(before.id, after.id))]
        }
        guard let place = entry.before ?? entry.after else { return [] }
        return [
            .work(
                Work(TrafficScreen.openSlot, on: .rows) {
                    .found(try $0.rows.rows([place.id]).first)
                })
        ]
    }

    // MARK: Reading

    private mutating func read() -> [Effect] {
        state = .reading(0)
        cursor.count = 0
        return [.work(TrafficWork.compare(order))]
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .reading(let count): state = .reading(count)
        case .compared(let result):
            state = .compared(result)
            cursor.count = result.entries.count
        case .found(let row?): return [.ask(DetailScreen(row)) { .focused($0) }]
        case .found(nil): return [.notify(.problem("the exchange is no longer in the store"))]
        case .focused(let filter): return [.answer(filter)]
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        guard slot == TrafficWork.slot else { return [.notify(.problem(words))] }
        state = .failed(words)
        return []
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        drawSide("-", order.before, 0, .removed, canvas.part(rows: 1))
        drawSide("+", order.after, 1, .added, canvas.part(row: 1, rows: 1))
        let content = canvas.part(row: 2, rows: max(0, canvas.rows - 3))
        switch state {
        case .reading(let count):
            let count = Quantity.grouped(Int64(count))
            content.drawRemark("\(count) exchanges read…  C-g cancels")
        case .failed(let problem): content.drawRemark(problem, .bad)
        case .givenUp: content.drawRemark("cancelled: R compares", .warning)
        case .compared(let result) where result.entries.isEmpty:
            content.drawRemark("nothing differs", .good)
        case .compared, nil: drawEntries(content)
        }
        drawInformation(canvas.part(row: canvas.rows - 1, rows: 1))
    }

    private func drawSide(
        _ sign: String, _ filter: Filter, _ index: Int, _ role: Style.Role, _ canvas: Canvas
    ) {
        var line = StyledText("\(sign) ", Style(.dim))
        line.append(filter.matchesEverything ? "everything" : filter.text, Style(.accent))
        if case .compared(let result) = state {
            let count = Quantity.grouped(Int64(result.counts[index]))
            line.append("  \(count) compared", Style(.dim))
        }
        canvas.drawFitted(line, row: 0)
        canvas.tint(row: 0, role)
    }

    private func drawEntries(_ canvas: Canvas) {
        let entries = entries
        canvas.drawLines(of: cursor) { index, row in
            let entry = entries[index]
            canvas.draw(entry.kind.rawValue, column: 1, row: row, Style(entry.kind.role))
            // What is different is more telling than the end of a long URL.
            let remark = entry.remark
            let width = max(8, canvas.columns - 10 - remark.columnCount)
            let title = StyledText(entry.title)
            let part = canvas.part(column: 10, row: row, columns: width, rows: 1)
            part.drawFitted(title, row: 0)
            let column = 10 + min(width, title.columnCount)
            canvas.part(column: column, row: row, columns: max(0, canvas.columns - column), rows: 1)
                .drawFitted(remark, row: 0)
        }
    }

    private func drawInformation(_ canvas: Canvas) {
        if case .compared(let result) = state {
            var line = StyledText(" \(result.summary)", Style(.heading))
            if result.skippedCount > 0 {
                line.append("  \(result.skippedCount) without a request", Style(.dim))
            }
            canvas.drawFitted(line, row: 0)
        }
        canvas.tint(row: 0, .bar)
    }
}

extension FormDialog {
    /// Asks for two filters whose exchanges are compared; `filter` is that of the list.
    static func comparing(_ filter: Filter, _ context: Context) -> FormDialog {
        let now = context.now
        return FormDialog(
            "Compare two sets of exchanges",
            [
                .text("Before", ""),
                .text("After", filter.text),
                .choice("Servers", ["the same", "any"]),
                .text("Ignore", ""),
            ], verb: "compares"
        ) { answers throws(Refusal) in
            let order = TrafficOrder(
                before: try parsed("Before", answers.text(0), now),
                after: try parsed("After", answers.text(1), now),
                matching: try matching(answers.text(3)), anyServer: answers.choice(2) == 1)
            return .become(TrafficScreen(order))
        }
    }

    private static func parsed(
        _ name: String, _ text: String, _ now: Int64
    ) throws(Refusal) -> Filter {
        do throws(FilterError) {
            return try Filter.parse(text, now: now)
        } catch {
            throw Refusal(words: "\(name), column \(error.column): \(error.message)")
        }
    }

    private static func matching(_ ignored: String) throws(Refusal) -> MockMatching {
        do throws(MockMatching.Mistake) {
            return try MockMatching(ignore: ignored.split(separator: " ").map(String.init))
        } catch {
            throw Refusal(words: "Ignore: \(error.message)")
        }
    }
}

struct TrafficOrder: Sendable {
    var before: Filter
    var after: Filter
    let matching: MockMatching
    let anyServer: Bool
}

enum TrafficWork {
    static let slot = "traffic"

    struct Result: Sendable {
        /// The numbers of exchanges of the sides.
        let counts: [Int]
        /// How many exchanges have no request to compare, such as tunnels.
        let skippedCount: Int
        /// The differences, the kinds one after another.
        let entries: [TrafficComparison.Entry]
        /// The numbers of differences, for people.
        let summary: String
    }

    static func compare(_ order: TrafficOrder) -> Work<TrafficScreen.News> {
        Work(slot, on: .searches) { context, report in
            let report = ReportPace.paced(report)
            var readCount = 0
            let sides = try [order.before, order.after].map { filter in
                let former = readCount
                let side = try context.exchanges.compared(
                    filter, order.matching, anyServer: order.anyServer
                ) { count in
                    readCount = former + count
                    report(.reading(readCount))
                }
                if let problem = side.problem(filter) { throw WorkFailure(problem) }
                return side
            }
            let comparison = TrafficComparison(sides[0], sides[1])
            return .compared(
                Result(
                    counts: sides.map(\.count),
                    skippedCount: sides.reduce(0) { $0 + $1.skippedCount },
                    entries: comparison.entriesByKind, summary: comparison.counts))
        }
    }
}
