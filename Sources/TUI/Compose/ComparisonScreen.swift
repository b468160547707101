internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// An exchange and a replay of it in two detail screens: side by side if there is enough space,
/// otherwise one at a time. They switch tabs together.
struct ComparisonScreen: ScreenModel {
    /// A filter for the list below.
    typealias Answer = Filter

    enum News: Sendable {
        case likeness(BodyLikeness)
        /// News for one of the two sides.
        case pane(Side, DetailScreen.News)
    }

    private static let likenessSlot = "bodies"

    /// One of the two sides.
    enum Side: Int, Sendable, CaseIterable {
        case original, replay

        var other: Side { self == .original ? .replay : .original }
    }

    /// The minimum width in columns for showing both sides.
    static let wideColumnCount = 120
    /// The number of rows above the sides: names and differences.
    static let headRowCount = 2

    var panes: [DetailScreen]
    var side = Side.replay
    private(set) var bodies: BodyLikeness?

    init(_ original: ExchangeRow, _ replay: ExchangeRow) {
        panes = [DetailScreen(original), DetailScreen(replay)]
        for side in Side.allCases { panes[side.rawValue].tab = .response }
    }

    var title: String { "\(row(.original).idText) and its replay \(row(.replay).idText)" }

    var places: Set<Action.Place> {
        let inner = panes[side.rawValue].places
        return inner.contains(.typing) ? inner : inner.union([.comparison])
    }

    func row(_ side: Side) -> ExchangeRow { panes[side.rawValue].row }

    mutating func appear(_ context: Context) -> [Effect] {
        var effects: [Effect] = []
        for side in Side.allCases {
            effects += tell(side, context) { $0.appear($1) }
        }
        if bodies == nil { effects.append(compareBodies()) }
        return effects
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .otherSide:
            side = side.other
            return tell(side, context) { $0.appear($1) }
        case .showSidesDiff: return [.open(DiffScreen(row(.original).id, row(.replay).id))]
        case .nextTab, .previousTab:
            return both(action, context)
        // Each side stays with its exchange.
        case .nextExchange, .previousExchange: return []
        default:
            if ActionID.tabs.contains(action) { return both(action, context) }
            return tell(side, context) { $0.perform(action, $1) }
        }
    }

    private mutating func both(_ action: ActionID, _ context: Context) -> [Effect] {
        Side.allCases.flatMap { side in tell(side, context) { $0.perform(action, $1) } }
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(var mouse) = event else {
            return tell(side, context) { $0.input(event, $1) }
        }
        if mouse.kind == .press, mouse.position.row == 0 {
            return perform(.otherSide, context)
        }
        let hit = side(at: mouse.position, context.size)
        guard let hit, let frame = frame(hit, context.size) else { return [] }
        side = hit
        mouse.position.column -= frame.column
        mouse.position.row -= frame.row
        return tell(hit, context) { $0.input(.mouse(mouse), $1) }
    }

    private func side(at position: Position, _ size: Size) -> Side? {
        Side.allCases.first { frame($0, size)?.contains(position) ?? false }
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .likeness(let likeness):
            bodies = likeness
            return []
        case .pane(let side, let news): return tell(side, context) { $0.receive(news, $1) }
        }
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        guard slot != ComparisonScreen.likenessSlot else {
            bodies = .unknown
            return []
        }
        guard let number = slot.first?.wholeNumberValue, let side = Side(rawValue: number) else {
            return []
        }
        return tell(side, context) { $0.fail(String(slot.dropFirst(2)), words, $1) }
    }

    mutating func storeChanged(_ context: Context) -> [Effect] {
        let isOpen = row(.replay).durationNs == nil || bodies == nil
        let effects = Side.allCases.flatMap { side in
            tell(side, context) { $0.storeChanged($1) }
        }
        return effects + (isOpen ? [compareBodies()] : [])
    }

    private func compareBodies() -> Effect {
        let (first, second) = (row(.original).id, row(.replay).id)
        return .work(
            Work(ComparisonScreen.likenessSlot, on: .searches) {
                .likeness(try BodyLikeness.of(first, second, $0))
            })
    }

    // MARK: The two sides

    /// Forwards something to one of the sides; its work gets slots of its own.
    private mutating func tell(
        _ side: Side, _ context: Context,
        _ body: (inout DetailScreen, Context) -> [DetailScreen.Effect]?
    ) -> [Effect] {
        var context = context
        context.size = frame(side, context.size)?.size ?? hiddenSize(context.size)
        let effects = body(&panes[side.rawValue], context) ?? []
        return effects.map { effect in
            ComparisonScreen.named(effect, side).map(news: { .pane(side, $0) }, answer: { $0 })
        }
    }

    private static func named(_ effect: DetailScreen.Effect, _ side: Side) -> DetailScreen.Effect {
        switch effect {
        case .work(let work): .work(work.named("\(side.rawValue).\(work.slot)"))
        case .cancelWork(let slot): .cancelWork(slot: "\(side.rawValue).\(slot)")
        default: effect
        }
    }

    /// Where one of the sides is drawn, or nil if it is hidden.
    func frame(_ side: Side, _ size: Size) -> Rectangle? {
        let rows = size.rows - ComparisonScreen.headRowCount
        let full = Rectangle(
            column: 0, row: ComparisonScreen.headRowCount,
            size: Size(columns: size.columns, rows: rows))
        guard size.columns >= ComparisonScreen.wideColumnCount else {
            return side == self.side ? full : nil
        }
        let left = (size.columns - 1) / 2
        let columns = side == .original ? left : size.columns - left - 1
        return Rectangle(
            column: side == .original ? 0 : left + 1, row: ComparisonScreen.headRowCount,
            size: Size(columns: columns, rows: rows))
    }

    private func hiddenSize(_ size: Size) -> Size {
        Size(columns: size.columns, rows: size.rows - ComparisonScreen.headRowCount)
    }
}
