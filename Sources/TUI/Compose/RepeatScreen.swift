internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydPresentation
internal import Synchronization

/// Sends requests many times, showing progress and the results at the end.
struct RepeatScreen: ScreenModel {
    typealias Answer = Never

    enum News: Sendable {
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
        let replaying = try context.hostActions.replaying.orFail("nothing can be sent here")
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
                StyledText("\(tally.failedCount) failed: \(tally.lastProblem ?? "")", Style(.bad)))
        }
        if let problem { lines.append(StyledText(problem, Style(.bad))) }
        return lines
    }
}

extension FormDialog {
    private static let roundCountMax = 1_000_000
    private static let concurrencyMax = 1_000
    private static let delayMsMax = 86_400_000

    static func repeating(_ chosen: ChosenRows) -> FormDialog {
        let sets = chosen.choices.compactMap { choice -> (name: String, ids: [ExchangeID])? in
            guard case .exchanges(let ids) = choice.selection else { return nil }
            return (choice.name, ids)
        }
        return FormDialog(
            "Send many times",
            [
                .choice("What", sets.map(\.name)),
                .text("Times", "10"),
                .text("Parallel", "1"),
                .text("Delay ms", "0"),
                .choice("How", ["byte for byte", "new Host and framing"]),
            ] + routeQuestions, focused: 1, verb: "sends"
        ) { answers throws(Refusal) in
            let order = ReplayOrder(
                ids: sets[answers.choice(0)].ids,
                roundCount: try number(answers.text(1), "Times", 1...roundCountMax),
                concurrency: try number(answers.text(2), "Parallel", 1...concurrencyMax),
                delayMs: try number(answers.text(3), "Delay", 0...delayMsMax),
                isExact: answers.choice(4) == 0, route: try route(answers, from: 5))
            return .become(RepeatScreen(order))
        }
    }

    static func sending(_ request: Request, of original: ExchangeRow?) -> FormDialog {
        FormDialog("Send with options", routeQuestions, verb: "sends") { answers throws(Refusal) in
            let route = try route(answers, from: 0)
            return .become(SendScreen(.composed(request, of: original), by: route))
        }
    }

    private static let routeQuestions: [Question] = [
        .choice("Certificates", ["verified", "not verified"]),
        .choice("Way", ["directly", "through proxyd"]), .text("Resolve", ""),
        .choice("Version", ["as recorded", "HTTP/1.1", "HTTP/2"]),
    ]

    private static func route(_ answers: Answers, from index: Int) throws(Refusal) -> ReplayRoute {
        let route = ReplayRoute(
            isVerified: answers.choice(index) == 0, isThroughDaemon: answers.choice(index + 1) == 1,
            resolutions: answers.text(index + 2),
            version: ReplayRoute.Version(rawValue: answers.choice(index + 3)) ?? .recorded)
        guard !route.isThroughDaemon || route.resolutions.allSatisfy({ $0 == " " }) else {
            throw Refusal(
                words: "Resolve works only if Way is “directly”: proxyd resolves names itself")
        }
        return route
    }

    private static func number(
        _ text: String, _ name: String, _ range: ClosedRange<Int>
    ) throws(Refusal) -> Int {
        guard let number = Int(text.filter { $0 != " " }), range.contains(number) else {
            throw Refusal(
                words: "\(name): a number from \(range.lowerBound) to "
                    + Quantity.grouped(Int64(range.upperBound)))
        }
        return number
    }
}

/// Collects outcomes reported on another thread, and reports their totals now and then.
final class RepeatNews: Sendable {
    /// The first outcomes are reported one by one, later ones in bundles of 1/50 of all so far.
    private static let bundleShare = 50

    private let sum = Mutex(RepeatTally())
    private let report: @Sendable (RepeatTally) -> Void

    init(_ report: @escaping @Sendable (RepeatTally) -> Void) { self.report = report }

    var tally: RepeatTally { sum.withLock { $0 } }

    func add(_ outcome: ReplayOutcome) {
        let told = sum.withLock { sum -> RepeatTally? in
            sum.add(outcome)
            return sum.count % max(1, sum.count / RepeatNews.bundleShare) == 0 ? sum : nil
        }
        if let told { report(told) }
    }
}

struct RepeatTally: Sendable {
    private(set) var count = 0
    /// How often each status was received; nil for no response.
    private(set) var statuses: [Int?: Int] = [:]
    private(set) var sameBodyCount = 0
    private(set) var differentBodyCount = 0
    private(set) var failedCount = 0
    private(set) var lastProblem: String?
    private var durations: [Int64] = []

    mutating func add(_ outcome: ReplayOutcome) {
        count += 1
        statuses[outcome.status, default: 0] += 1
        switch outcome.body {
        case .same: sameBodyCount += 1
        case .different: differentBodyCount += 1
        case .unknown: break
        }
        if let problem = outcome.problem {
            failedCount += 1
            lastProblem = problem
        }
        if let duration = outcome.durationNs { durations.append(duration) }
    }

    /// Statuses in ascending order, with no response last.
    var statusCounts: [(status: Int?, count: Int)] {
        statuses.sorted { ($0.key ?? .max) < ($1.key ?? .max) }
            .map { (status: $0.key, count: $0.value) }
    }

    /// Minimum, median, 95th percentile and maximum in nanoseconds; nil if no request ended.
    var times: (least: Int64, median: Int64, most95: Int64, most: Int64)? {
        let sorted = durations.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        return (first, sorted[sorted.count / 2], sorted[sorted.count * 95 / 100], last)
    }
}
