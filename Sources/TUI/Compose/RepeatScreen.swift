internal import ProxydPresentation
internal import ProxydHTTPModel
internal import Synchronization
internal import ProxydOperations

/// Sends requests many times, showing progress and the results at the end.
struct RepeatScreen: ScreenModel {
    typealias Answer = Never

    enum News: Sendable {
        /// The tally so far, or the final one.
        case sending(RepeatTally)
        case sent(RepeatTally)
    }

    private static let barColumnCount = 26

    private let order: ReplayOrder
    private let total: Int
    private var tally = RepeatTally()
    private var startedAt: Int64?
    private var endedAt: Int64?
    private var isCancelled = false
    private var problem: String?

    init(_ order: ReplayOrder) {
        self.order = order
        total = order.ids.count.multipliedReportingOverflow(by: order.roundCount).partialValue
    }

    var title: String { endedAt == nil ? "Sending many times" : "Sent many times" }
    var presentation: Presentation { .box(Size(columns: 70, rows: 11)) }

    private var isRunning: Bool { endedAt == nil }

    mutating func appear(_ context: Context) -> [Effect] {
        guard startedAt == nil else { return [] }
        startedAt = context.now
        let order = order
        return [
            .work(
                Work("repeat", on: .sending) { context, report in
                    .sent(try RepeatScreen.run(order, context) { report(.sending($0)) })
                })
        ]
    }

    /// Reports outcomes in bundles, because thousands a second would keep the screen busy.
    private static func run(
        _ order: ReplayOrder, _ context: WorkContext,
        _ report: @escaping @Sendable (RepeatTally) -> Void
    ) throws -> RepeatTally {
        guard let replaying = context.hostActions.replaying else {
            throw WorkFailure("nothing can be sent here")
        }
        let news = RepeatNews(report)
        try replaying.replay(order, isCancelled: context.isCancelled) { news.add($0) }
        return news.tally
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .cancel where isRunning, .close where isRunning:
            isCancelled = true
            endedAt = context.now
            return [.cancelWork(slot: "repeat")]
        case .open, .close: return [.close]
        default: return []
        }
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .key(.enter) = event, !isRunning else { return nil }
        return [.close]
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .sending(let tally): self.tally = tally
        case .sent(let tally):
            self.tally = tally
            endedAt = context.now
        }
        return []
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        problem = words
        endedAt = context.now
        return []
    }

    func draw(into canvas: Canvas, _ context: Context) {
        drawProgress(canvas, context)
        var row = 2
        for line in lines {
            canvas.part(column: 1, columns: canvas.columns - 2).draw(line, row: row)
            row += 1
        }
        let hint = isRunning ? "Esc stops it and cancels running requests" : "Esc closes this"
        canvas.draw(hint, column: 1, row: canvas.rows - 1, Style(.dim))
    }

    private func drawProgress(_ canvas: Canvas, _ context: Context) {
        let share = Double(tally.count) / Double(max(1, total))
        let width = min(RepeatScreen.barColumnCount, canvas.columns - 30)
        let done = max(0, min(width, Int(share * Double(width))))
        var line = StyledText(String(repeating: "█", count: done), Style(.good))
        line.append(String(repeating: "░", count: max(0, width - done)), Style(.dim))
        line.append(
            "  \(Quantity.grouped(Int64(tally.count))) of \(Quantity.grouped(Int64(total)))")
        let elapsed = (endedAt ?? context.now) &- (startedAt ?? context.now)
        line.append("  \(Quantity.duration(elapsed))", Style(.dim))
        if isCancelled { line.append("  stopped early", Style(.warning)) }
        canvas.draw(line, column: 1, row: 0)
    }

    private var lines: [StyledText] {
        var lines: [StyledText] = []
        var status = StyledText("status  ", Style(.dim))
        for (number, count) in tally.statusCounts {
            let style = number.map { Style.ofStatus($0) } ?? Style(.bad)
            status.append(number.map(String.init) ?? "none", style.adding(.bold))
            status.append(" ×\(Quantity.grouped(Int64(count)))  ")
        }
        lines.append(status)
        var bodies = StyledText("bodies  ", Style(.dim))
        bodies.append("\(tally.sameBodyCount) same  ", Style(.good))
        bodies.append(
            "\(tally.differentBodyCount) different",
            Style(tally.differentBodyCount > 0 ? .warning : .dim))
        lines.append(bodies)
        if let times = tally.times {
            var line = StyledText("time    ", Style(.dim))
            line.append("min \(Quantity.duration(times.least))  ")
            line.append("median \(Quantity.duration(times.median))  ")
            line.append("p95 \(Quantity.duration(times.most95))  ")
            line.append("max \(Quantity.duration(times.most))")
            lines.append(line)
        }
        if tally.failedCount > 0 {
            lines.append(
                StyledText(
                    "\(tally.failedCount) failed: \(tally.lastProblem ?? "")", Style(.bad)))
        }
        if let problem { lines.append(StyledText(problem, Style(.bad))) }
        return lines
    }
}
