internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydPresentation
internal import Synchronization

/// Waits for one request being sent, and shows the result beside the original.
struct SendScreen: ProblemShowing {
    typealias News = Sent
    /// A filter for the list below, chosen on the screen that replaces it.
    typealias Answer = Filter

    enum Order: Sendable {
        case again(ExchangeRow)
        case composed(Request, of: ExchangeRow?)
    }

    enum Sent: Sendable {
        /// The new exchange, and the one it replays.
        case here(ExchangeRow, original: ExchangeRow?)
        /// The number of the new exchange in the data directory, not in the store that is read.
        case elsewhere(ExchangeID)
    }

    private let order: Order
    private let route: ReplayRoute
    private var startedAt: Int64?
    var problem: String?

    init(_ order: Order, by route: ReplayRoute = ReplayRoute()) {
        self.order = order
        self.route = route
    }

    let title = "Sending"
    var presentation: Presentation { .box(Size(columns: 70, rows: 3)) }

    mutating func appear(_ context: Context) -> [Effect] {
        guard startedAt == nil else { return [] }
        startedAt = context.now
        let (order, route) = (order, route)
        return [.work(Work("send", on: .sending) { try SendScreen.send(order, route, $0) })]
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .cancel, .close:
            guard problem == nil else { return [.close] }
            return [.close, .notify(.information("cancelled; the exchange stays in the list"))]
        default: return []
        }
    }

    mutating func receive(_ sent: Sent, _ context: Context) -> [Effect] {
        switch sent {
        case .here(let row, let original?): return [.become(ComparisonScreen(original, row))]
        case .here(let row, nil): return [.become(DetailScreen(row))]
        case .elsewhere(let id):
            return [
                .close, .notify(.success("sent; recorded in the data directory as exchange \(id)")),
            ]
        }
    }

    private static func send(
        _ order: Order, _ route: ReplayRoute, _ context: WorkContext
    ) throws -> Sent {
        let replaying = try context.hostActions.replaying.orFail("nothing can be sent here")
        let original: ExchangeRow?
        let id: ExchangeID
        switch order {
        case .composed(let request, let row):
            original = row
            id = try replaying.send(
                request, repeating: row?.id, by: route, isCancelled: context.isCancelled)
        case .again(let row):
            original = row
            let outcome = FirstOutcome()
            try replaying.replay(
                ReplayOrder(ids: [row.id], route: route), isCancelled: context.isCancelled
            ) { outcome.take($0) }
            if let advice = outcome.value?.advice { throw WorkFailure(advice) }
            guard let sent = outcome.value?.id else {
                throw WorkFailure(
                    outcome.value?.problem ?? "exchange \(row.idText) no longer exists")
            }
            id = sent
        }
        guard !context.hostActions.recordsElsewhere else { return .elsewhere(id) }
        guard let row = try context.rows.rows([id]).first else {
            throw WorkFailure("exchange \(try context.rows.name(of: id)) is not in the store")
        }
        return .here(row, original: original)
    }

    func draw(into canvas: Canvas, _ context: Context) {
        canvas.draw(target, column: 1, row: 0, width: canvas.columns - 2, Style(.accent))
        if let problem {
            for (row, line) in problem.split(separator: "\n").prefix(2).enumerated() {
                canvas.draw(
                    String(line), column: 1, row: row + 1, width: canvas.columns - 2,
                    Style(row == 0 ? .bad : .dim))
            }
            return
        }
        let seconds = max(0, context.now &- (startedAt ?? context.now)) / 1_000_000_000
        canvas.draw("waiting for the response… \(seconds) s", column: 1, row: 1)
        canvas.draw("Esc cancels", column: 1, row: 2, Style(.dim))
    }

    private var target: String {
        switch order {
        case .again(let row): "\(row.method ?? "-") \(row.url ?? "-")"
        case .composed(let request, _):
            "\(request.method?.rawValue ?? "-") \(request.url?.description ?? "-")"
        }
    }
}

/// Keeps the first of the outcomes that another thread reports.
final class FirstOutcome: Sendable {
    private let outcome = Mutex<ReplayOutcome?>(nil)

    var value: ReplayOutcome? { outcome.withLock { $0 } }

    func take(_ new: ReplayOutcome) { outcome.withLock { $0 = $0 ?? new } }
}

/// The exchanges that an action can apply to: the selected one, the marked ones, and all that match
/// the filter.
struct ChosenRows: Sendable {
    let row: ExchangeRow
    var marked: [ExchangeID] = []
    /// The filter of the list, or nil if there is no list.
    var filter: Filter?

    struct Choice: Sendable {
        let name: String
        let selection: ExportOrder.Selection
    }

    /// The choices: first the marked exchanges if any, otherwise those that match the filter.
    var choices: [Choice] {
        let one = Choice(name: "this one", selection: .exchanges([row.id]))
        let many = Choice(name: "\(marked.count) marked", selection: .exchanges(marked))
        let all = filter.map { filter in
            Choice(
                name: filter.matchesEverything ? "everything" : "what the filter shows",
                selection: .filter(filter.text))
        }
        let found = marked.isEmpty ? [all, one] : [many, one, all]
        return found.compactMap { $0 }
    }
}
