internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// The exchange beside the list, on wide screens. It shows the selected row.
struct ExchangePane: Sendable {
    enum Focus: Sendable, Hashable {
        case list
        /// The list stands still; it may have followed new exchanges before.
        case exchange(wasFollowing: Bool)
    }

    static let part = ScreenPart(name: "pane")

    var exchange: DetailScreen
    var focus: Focus

    var hasFocus: Bool { focus != .list }
}

extension ListScreen {
    var hasOpenPart: Bool { pane != nil }

    private var ownScopes: Set<Action.Scope> {
        waterfall == nil
            ? [.everywhere, .moving, .list] : [.everywhere, .moving, .list, .waterfall]
    }

    var scopes: Set<Action.Scope> {
        guard let pane else { return ownScopes }
        guard pane.hasFocus else { return ownScopes.union([.panes]) }
        let scopes = pane.exchange.scopes
        return scopes.contains(.typing) ? scopes : scopes.subtracting([.alone]).union([.panes])
    }

    var scopesBeside: Set<Action.Scope> {
        guard let pane, !scopes.contains(.typing) else { return [] }
        return pane.hasFocus ? ownScopes : pane.exchange.scopes.subtracting([.alone])
    }

    var hints: [KeyHint] { pane?.exchange.hints ?? [] }

    // MARK: Frames

    /// Where the list is drawn, or nil if the exchange hides it.
    func listFrame(_ size: Size) -> Rectangle? {
        guard let pane else { return Rectangle(column: 0, row: 0, size: size) }
        if size.columns >= Halves.columnCountMin { return Halves(of: size).left }
        return pane.hasFocus ? nil : Rectangle(column: 0, row: 0, size: size)
    }

    func exchangeFrame(_ size: Size) -> Rectangle? {
        guard let pane else { return nil }
        if size.columns >= Halves.columnCountMin { return Halves(of: size).right }
        return pane.hasFocus ? Rectangle(column: 0, row: 0, size: size) : nil
    }

    /// What the list sees of its surroundings.
    func listContext(_ context: Context) -> Context {
        context.part(listFrame(context.size), hasFocus: pane?.hasFocus != true)
    }

    private func exchangeContext(_ context: Context) -> Context {
        context.part(exchangeFrame(context.size), hasFocus: pane?.hasFocus == true)
    }

    func draw(into canvas: Canvas, _ context: Context) {
        if let frame = listFrame(canvas.size) {
            drawList(into: canvas.part(frame), listContext(context))
        }
        guard let pane, let frame = exchangeFrame(canvas.size) else { return }
        pane.exchange.draw(into: canvas.part(frame), exchangeContext(context))
        if frame.column > 0 { canvas.drawLine(between: Halves(of: canvas.size)) }
    }

    // MARK: Actions

    /// Opens the exchange beside the list, or moves the focus to it; on narrow screens, in a screen
    /// of its own.
    mutating func open(_ context: Context) -> [Effect] {
        guard let row = selectedRow else { return [] }
        let exchange = DetailScreen(row, filter: filter, order: order)
        guard pane != nil || context.size.columns >= Halves.columnCountMin else {
            return [.ask(exchange) { .focused($0) }]
        }
        let isNew = pane == nil
        if isNew { pane = ExchangePane(exchange: exchange, focus: .list) }
        focus(onExchange: true)
        return isNew ? tellPane(context) { $0.appear($1) } : []
    }

    private mutating func focus(onExchange isOnExchange: Bool) {
        guard pane?.hasFocus != isOnExchange else { return }
        let wasFollowing = list.isFollowing
        pane?.focus = isOnExchange ? .exchange(wasFollowing: wasFollowing) : .list
        if isOnExchange { list.isFollowing = false }
    }

    /// Performs an action on the exchange beside the list; returns nil if it is the list's.
    mutating func performOnPane(_ action: ActionID, _ context: Context) -> [Effect]? {
        guard let pane else { return nil }
        switch action {
        case .otherPane:
            focus(onExchange: !pane.hasFocus)
            return tellPane(context) { $0.appear($1) }
        case .showAlone: return [.ask(pane.exchange.alone) { .focused($0) }]
        case .nextExchange: return step(1)
        case .previousExchange: return step(-1)
        case .close: return close(pane, context)
        default:
            let near = pane.hasFocus ? pane.exchange.scopes : ownScopes
            let isNear = ActionTable.actions(in: near).contains { $0.id == action }
            return isNear == pane.hasFocus ? tellPane(context) { $0.perform(action, $1) } : nil
        }
    }

    /// Selects the next or previous row; there is always one in the pane.
    private mutating func step(_ step: Int) -> [Effect] {
        let former = selectedRow?.id
        let effects = move(.lines(step))
        let isMoved = selectedRow?.id != former
        return effects + (isMoved ? [] : [.notify(.noExchange(isNext: step > 0))])
    }

    private mutating func close(_ pane: ExchangePane, _ context: Context) -> [Effect] {
        let closed =
            pane.hasFocus
            ? tellPane(context) { $0.perform(.close, $1) } : performOnRows(.close, context)
        return closed.isEmpty ? closePane(context) : closed
    }

    private mutating func closePane(_ context: Context) -> [Effect] {
        let effects = tellPane(context) { exchange, _ in exchange.stop() }
        if pane?.focus == .exchange(wasFollowing: true) {
            list.isFollowing = true
            if hasNewest { selectNewest() }
        }
        pane = nil
        return effects
    }

    // MARK: Mouse and keys

    /// Gives a mouse event to the exchange if it is there, and with the focus on it, what is typed.
    mutating func inputOnPane(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard let pane else { return nil }
        guard case .mouse(var mouse) = event else {
            return pane.hasFocus ? tellPane(context) { $0.input(event, $1) } : nil
        }
        guard let frame = exchangeFrame(context.size), frame.contains(mouse.position) else {
            if mouse.kind == .press { focus(onExchange: false) }
            return nil
        }
        if mouse.kind == .press { focus(onExchange: true) }
        mouse.position.column -= frame.column
        return tellPane(context) { $0.input(.mouse(mouse), $1) }
    }

    // MARK: The exchange

    /// Shows the selected row beside the list.
    mutating func showSelected(_ context: Context) -> [Effect] {
        guard let shown = pane?.exchange.row.id else { return [] }
        guard let row = selectedRow else { return closePane(context) }
        let filter = filter
        pane?.exchange.filter = filter
        guard row.id != shown else { return [] }
        return tellPane(context) { exchange, _ in exchange.show(row) }
    }

    mutating func receive(inPane news: DetailScreen.News, _ context: Context) -> [Effect] {
        guard case .row(let news) = news else {
            return tellPane(context) { $0.receive(news, $1) }
        }
        let effects = receive(news, context)
        guard case .changed = news else { return effects }
        return effects + tellPane(context) { $0.storeChanged($1) }
    }

    /// Forwards something to the exchange; its work gets slots of its own.
    mutating func tellPane(
        _ context: Context, _ body: (inout DetailScreen, Context) -> [DetailScreen.Effect]?
    ) -> [Effect] {
        let context = exchangeContext(context)
        guard var exchange = pane?.exchange, let effects = body(&exchange, context) else {
            return []
        }
        pane?.exchange = exchange
        return effects.compactMap { $0.of(ExchangePane.part).within { .pane($0) } }
    }
}

extension Context {
    /// What a part of the screen sees; a hidden part has the size of the whole.
    func part(_ frame: Rectangle?, hasFocus: Bool) -> Context {
        var context = self
        context.size = frame?.size ?? size
        context.hasFocus = hasFocus
        return context
    }
}
