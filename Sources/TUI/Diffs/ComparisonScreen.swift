internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydPresentation

/// An exchange and a replay of it in two detail screens: side by side if there is enough space,
/// otherwise one at a time. They switch tabs together.
struct ComparisonScreen: ScreenModel {
    typealias Answer = Filter

    enum News: Sendable {
        case likeness(BodyLikeness)
        case pane(Side, DetailScreen.News)
    }

    private static let likenessSlot = "bodies"

    enum Side: Int, Sendable, CaseIterable {
        case original, replay

        var other: Side { self == .original ? .replay : .original }
        var part: ScreenPart { ScreenPart(name: "\(rawValue)") }
    }

    static let wideColumnCount = 120
    static let headRowCount = 2

    var panes: [DetailScreen]
    var side = Side.replay
    private(set) var bodies: BodyLikeness?

    init(_ original: ExchangeRow, _ replay: ExchangeRow) {
        panes = [DetailScreen(original), DetailScreen(replay)]
        for side in Side.allCases { panes[side.rawValue].tab = .response }
    }

    var title: String { "\(row(.original).idText) and its replay \(row(.replay).idText)" }

    var scopes: Set<Action.Scope> {
        let inner = panes[side.rawValue].scopes
        return inner.contains(.typing) ? inner : inner.union([.comparison])
    }

    func row(_ side: Side) -> ExchangeRow { panes[side.rawValue].row }

    mutating func appear(_ context: Context) -> [Effect] {
        var effects: [Effect] = []
        for side in Side.allCases { effects += tell(side, context) { $0.appear($1) } }
        if bodies == nil { effects.append(compareBodies()) }
        return effects
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        switch action {
        case .otherSide:
            side = side.other
            return tell(side, context) { $0.appear($1) }
        case .showSidesDiff: return [.open(DiffScreen(row(.original).id, row(.replay).id))]
        case .nextTab, .previousTab: return both(action, context)
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
        if mouse.kind == .press, mouse.position.row == 0 { return perform(.otherSide, context) }
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
        return Side.allCases.flatMap { side in
            side.part.own(slot).map { own in
                tell(side, context) { $0.fail(own, words, $1) }
            } ?? []
        }
    }

    mutating func storeChanged(_ context: Context) -> [Effect] {
        let isOpen = row(.replay).durationNs == nil || bodies == nil
        let effects = Side.allCases.flatMap { side in tell(side, context) { $0.storeChanged($1) } }
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
        return effects.map { $0.of(side.part).map(news: { .pane(side, $0) }, answer: { $0 }) }
    }

    /// Where one of the sides is drawn, or nil if it is hidden.
    func frame(_ side: Side, _ size: Size) -> Rectangle? {
        if let halves = halves(size) { return side == .original ? halves.left : halves.right }
        guard side == self.side else { return nil }
        return Rectangle(
            column: 0, row: ComparisonScreen.headRowCount, size: hiddenSize(size))
    }

    private func halves(_ size: Size) -> Halves? {
        guard size.columns >= ComparisonScreen.wideColumnCount else { return nil }
        return Halves(of: size, below: ComparisonScreen.headRowCount)
    }

    private func hiddenSize(_ size: Size) -> Size {
        Size(columns: size.columns, rows: size.rows - ComparisonScreen.headRowCount)
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        drawNames(canvas.part(rows: 1))
        canvas.draw(differences, row: 1)
        for side in Side.allCases {
            guard let frame = frame(side, canvas.size) else { continue }
            var context = context
            context.size = frame.size
            panes[side.rawValue].draw(into: canvas.part(frame), context)
        }
        if let halves = halves(canvas.size) { canvas.drawLine(between: halves) }
    }

    /// Draws the names of both sides, with the one that receives keys highlighted.
    private func drawNames(_ canvas: Canvas) {
        var column = 1
        for side in Side.allCases {
            let name = side == .original ? "Original" : "Replay"
            let style = side == self.side ? Style(.heading, on: .selection, .bold) : Style(.dim)
            let title = " \(name) #\(row(side).idText) "
            column = canvas.draw(title, column: column, row: 0, style) + 1
        }
        canvas.draw(
            "o: the other side", column: column, row: 0, width: canvas.columns - column - 1,
            isRight: true, Style(.dim))
    }

    private var differences: StyledText {
        let (original, replay) = (row(.original), row(.replay))
        var line = StyledText(" ")
        line += ComparisonScreen.pair(
            "status", ComparisonScreen.status(original), ComparisonScreen.status(replay),
            isJudged: true)
        // Without a response there is nothing to compare, so the reason is shown.
        if let side = Side.allCases.first(where: { row($0).status == nil }) {
            line.append(row(side).error ?? "no response", Style(.bad))
            return line
        }
        line += ComparisonScreen.pair(
            "size", Quantity.bytes(original.responseBodyByteCount),
            Quantity.bytes(replay.responseBodyByteCount), isJudged: true)
        line += ComparisonScreen.pair(
            "time", original.durationNs.map(Quantity.duration) ?? "-",
            replay.durationNs.map(Quantity.duration) ?? "-", isJudged: false)
        line.append("body ", Style(.dim))
        switch bodies {
        case nil: line.append("comparing…", Style(.notice))
        case .same: line.append("same", Style(.good))
        case .different(let offset):
            line.append("different", Style(.warning).adding(.bold))
            line.append(" from byte \(Quantity.grouped(offset))", Style(.dim))
        case .unknown: line.append("cannot be compared", Style(.notice))
        }
        return line
    }

    private static func status(_ row: ExchangeRow) -> String {
        row.status.map(String.init) ?? row.state.rawValue
    }

    /// `status 200 → 404`, or a single value if both are equal.
    private static func pair(
        _ name: String, _ before: String, _ after: String, isJudged: Bool
    ) -> StyledText {
        var line = StyledText("\(name) ", Style(.dim))
        if before != after { line.append("\(before) → ", .plain) }
        let style: Style = !isJudged ? .plain : Style(before == after ? .good : .warning)
        line.append(after, style)
        line.append("   ")
        return line
    }
}

/// How the bodies of two responses compare, with content codings removed.
enum BodyLikeness: Sendable, Hashable {
    case same
    case different(offset: Int64)
    /// A body was not stored completely, or its coding cannot be removed.
    case unknown

    private static let pieceByteCount = 1 << 20

    static func of(
        _ first: ExchangeID, _ second: ExchangeID, _ context: WorkContext
    ) throws -> BodyLikeness {
        guard let one = try body(first, context), let other = try body(second, context) else {
            return .unknown
        }
        var offset = 0
        while !context.isCancelled() {
            let left = one.read(from: offset, byteCount: pieceByteCount)
            let right = other.read(from: offset, byteCount: pieceByteCount)
            if left != right {
                let same = zip(left, right).prefix { $0 == $1 }.count
                let isCut = same == min(left.count, right.count) && isCut(one, other)
                return isCut ? .unknown : .different(offset: Int64(offset + same))
            }
            if left.isEmpty { return isCut(one, other) ? .unknown : .same }
            offset += left.count
        }
        throw WorkCancelled()
    }

    /// Whether the rest of one of the bodies is unknown.
    private static func isCut(_ one: LoadedBody, _ other: LoadedBody) -> Bool {
        one.extent.failure != nil || other.extent.failure != nil
    }

    /// The complete decoded body, or nil if it was not stored completely.
    private static func body(_ id: ExchangeID, _ context: WorkContext) throws -> LoadedBody? {
        guard let row = try context.rows.rows([id]).first,
            row.responseKeptByteCount == row.responseBodyByteCount,
            let exchange = try context.exchanges.exchange(id, bodyByteCountMax: 0)
        else { return nil }
        let codings = exchange.response?.head.fields.values(named: "Content-Encoding") ?? []
        let body = LoadedBody(
            contentEncoding: codings.isEmpty ? nil : codings.joined(separator: ", "))
        body.load(
            upTo: .max,
            from: StoredBodyOrigin(exchanges: context.exchanges, exchange: id, message: .response),
            context.isCancelled)
        return body
    }
}
