internal import ProxydRules
internal import ProxydOperations
internal import ProxydPresentation

// Folders of screens refer to each other in circles, because screens open one another: a list opens
// an exchange, an exchange its changes or a new request, and a new request an exchange again. The
// folders below them, `Rows`, `Screen`, `Actions` and `Terminal`, refer to no screen.

/// The whole interface as a value: a stack of screens, the known facts, and the running work.
/// `update` is pure: the same messages produce the same screens.
struct App: Sendable {
    struct Entry: Sendable {
        let id: Int
        /// The index of the screen that opened it and receives its answer.
        let opener: Int
        var screen: any OpenScreen

        var model: any ScreenModel { screen.model }
    }

    private(set) var entries: [Entry] = []
    private(set) var size: Size
    private(set) var status = StatusFacts()
    private(set) var notice: Notice?
    private(set) var isMouseOn = true
    private(set) var remembered = RememberedChoices()
    /// The work that is running, by screen and slot.
    private(set) var running: [WorkKey: WorkTicket] = [:]
    let clock: WallTime

    /// Whether work is running that the user is waiting for.
    var isBusy: Bool { running.values.contains { !$0.isQuiet } }

    private var lastScreenID = 0
    private var lastGeneration = 0
    private var commands: [Command] = []

    struct WorkKey: Hashable, Sendable {
        let screen: Int
        let slot: String
    }

    /// Creates an interface without screens; `start` opens the first one.
    init(size: Size, clock: WallTime) {
        self.size = size
        self.clock = clock
    }

    mutating func start(_ first: some ScreenModel, now: Int64) -> [Command] {
        open(OpenedScreen(screen: first) { $0 }, by: 0, now)
        return taken()
    }

    mutating func update(_ message: Message, now: Int64) -> [Command] {
        switch message {
        case .input(let event): receive(event, now)
        case .news(let ticket, let news): receive(news, of: ticket, now)
        case .ended(let ticket):
            if running[key(ticket)] == ticket { running[key(ticket)] = nil }
        case .edited(let screen, let text): tell(screen, .edited(text), now)
        case .storeChanged:
            for entry in entries { tell(entry.id, .storeChanged, now) }
        case .status(let facts): status = facts
        case .notice(let notice): self.notice = notice
        }
        return taken()
    }

    // MARK: Input

    private mutating func receive(_ event: InputEvent, _ now: Int64) {
        guard let top = entries.last else { return }
        switch event {
        case .resize(let size):
            self.size = size
            for entry in entries { tell(entry.id, .appear, now) }
        case .key(let key):
            notice = nil
            if top.model.scopes.contains(.typing), offer(event, now) { return }
            if let action = top.model.action(for: key) {
                perform(action, now)
            } else if !top.model.scopes.contains(.typing) {
                _ = offer(event, now)
            }
        case .mouse(var mouse):
            guard let frame = frame(at: entries.count - 1) else { return }
            mouse.position.column -= frame.column
            mouse.position.row -= frame.row
            _ = offer(.mouse(mouse), now)
        case .paste: _ = offer(event, now)
        }
    }

    /// Offers an event to the top screen; returns false if the screen does not handle it.
    private mutating func offer(_ event: InputEvent, _ now: Int64) -> Bool {
        entries.last.map { tell($0.id, .input(event), now) } ?? false
    }

    private mutating func perform(_ action: ActionID, _ now: Int64) {
        guard let index = entries.indices.last else { return }
        let model = entries[index].model
        switch action {
        case .quit: commands.append(.quit)
        case .redraw: commands.append(.redraw)
        case .suspend: commands.append(.suspend)
        case .toggleMouse: toggleMouse()
        case .help: open(HelpScreen(of: model), at: index, now)
        case .palette: open(PaletteScreen(of: model), at: index, now)
        case .toggleRecording: act(DaemonWork.toggleRecording(status), of: entries[index].id)
        case .showHolds: open(HoldsScreen(), at: index, now)
        case .close, .back: close(action, at: index, now)
        default: tell(entries[index].id, .perform(action), now)
        }
    }

    /// A screen may have a part of its own to close first. On the lowest screen, `.back` quits
    /// immediately, and `.close` closes only such a part.
    private mutating func close(_ action: ActionID, at index: Int, _ now: Int64) {
        guard index > 0 || action == .close || entries[index].model.hasOpenPart else {
            return commands.append(.quit)
        }
        let effects = entries[index].screen.handle(.perform(.close), context(at: index, now)) ?? []
        if !effects.isEmpty {
            perform(effects, of: entries[index].id, now)
        } else if index > 0 {
            remove(entries[index].id)
        }
    }

    private mutating func toggleMouse() {
        isMouseOn.toggle()
        commands.append(.setMouse(isMouseOn))
        notice = .information(
            isMouseOn
                ? "the mouse works here again"
                : "the mouse is left to the terminal: you can select text")
    }

    // MARK: Effects

    private mutating func perform(_ effects: [AppEffect], of screen: Int, _ now: Int64) {
        for effect in effects { perform(effect, of: screen, now) }
    }

    private mutating func perform(_ effect: AppEffect, of screen: Int, _ now: Int64) {
        switch effect {
        case .show(let opening): open(opening.screen { $0.value }, by: screen, now)
        case .replace(let opening):
            let opener = opener(of: screen)
            open(opening.screen { $0 }, by: opener, now)
            remove(screen)
        case .close: remove(screen)
        case .answer(let answer):
            let opener = opener(of: screen)
            remove(screen)
            tell(opener, .news(answer), now)
        case .perform(let action):
            remove(screen)
            perform(action, now)
        case .work(let work): start(work.map { .screen($0) }, of: screen)
        case .act(let work): act(work, of: screen)
        case .cancelWork(let slot): cancel(WorkKey(screen: screen, slot: slot))
        case .remember(let remembered): self.remembered = remembered
        case .notify(let notice): self.notice = notice
        case .copy(let text): commands.append(.copy(text))
        case .edit(let request): commands.append(.edit(screen: screen, request))
        case .toggleMouse: toggleMouse()
        case .redraw: commands.append(.redraw)
        case .suspend: commands.append(.suspend)
        case .quit: commands.append(.quit)
        }
    }

    private mutating func open<Screen: ScreenModel>(_ screen: Screen, at index: Int, _ now: Int64)
    where Screen.Answer == Never {
        open(OpenedScreen(screen: screen) { $0 }, by: entries[index].id, now)
    }

    private mutating func open(_ screen: any OpenScreen, by opener: Int, _ now: Int64) {
        lastScreenID += 1
        entries.append(Entry(id: lastScreenID, opener: opener, screen: screen))
        tell(lastScreenID, .appear, now)
    }

    private mutating func remove(_ screen: Int) {
        entries.removeAll { $0.id == screen }
        for key in running.keys where key.screen == screen { cancel(key) }
        if entries.isEmpty { commands.append(.quit) }
    }

    private mutating func act(_ work: Work<Notice?>, of screen: Int) {
        start(work.map { .notice($0) }, of: screen, isActing: true)
    }

    private mutating func start(_ work: Work<WorkNews>, of screen: Int, isActing: Bool = false) {
        let key = WorkKey(screen: screen, slot: work.slot)
        cancel(key)
        lastGeneration += 1
        let ticket = WorkTicket(
            screen: screen, slot: work.slot, generation: lastGeneration, isQuiet: work.isQuiet,
            isKept: work.isKept, isActing: isActing)
        running[key] = ticket
        commands.append(.start(ticket, work))
    }

    private mutating func cancel(_ key: WorkKey) {
        guard let ticket = running.removeValue(forKey: key), !ticket.isKept else { return }
        commands.append(.cancel(ticket))
    }

    private mutating func receive(_ news: WorkNews, of ticket: WorkTicket, _ now: Int64) {
        let isAwaited = running[key(ticket)] == ticket && !ticket.isActing
        switch news {
        case .screen(let told) where isAwaited: tell(ticket.screen, .news(told.value), now)
        case .failure(let words) where isAwaited:
            tell(ticket.screen, .failure(slot: ticket.slot, words), now)
        // Its screen is closed, or has started newer work with the same slot.
        case .screen(let told) where ticket.isKept: notice = told.notice ?? notice
        case .failure(let words) where ticket.isKept || ticket.isActing: notice = .problem(words)
        case .notice(let told): notice = told ?? notice
        case .screen, .failure: break
        }
    }

    /// Tells a screen what happened; returns false if it does not handle it.
    @discardableResult
    private mutating func tell(_ screen: Int, _ event: ScreenEvent, _ now: Int64) -> Bool {
        guard let index = entries.firstIndex(where: { $0.id == screen }),
            let effects = entries[index].screen.handle(event, context(at: index, now))
        else { return false }
        perform(effects, of: screen, now)
        return true
    }

    private func opener(of screen: Int) -> Int { entries.first { $0.id == screen }?.opener ?? 0 }

    private func key(_ ticket: WorkTicket) -> WorkKey {
        WorkKey(screen: ticket.screen, slot: ticket.slot)
    }

    private mutating func taken() -> [Command] {
        defer { commands = [] }
        return commands
    }

    // MARK: Drawing

    /// The number of rows at the bottom that belong to no screen: hints and status.
    static let barRowCount = 2

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
            status: status, remembered: remembered, isOnTop: index == entries.count - 1)
    }

    private var firstVisible: Int { entries.lastIndex { $0.model.presentation == .full } ?? 0 }

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
        guard let model = entries.last?.model, !model.scopes.contains(.typing) else {
            draw(entries.last?.model.hints.map(\.line) ?? [], canvas)
            return
        }
        let isLowest = entries.count == 1 && !model.hasOpenPart
        let actions = ActionTable.actions(in: model.scopes)
        let general = actions.filter { $0.isGeneral }
        // Space is kept for the keys for going back and for help; the other general keys follow.
        let always = [
            KeyHint(Key("q"), isLowest ? "leave" : "back").line,
            actions.first { $0.id == .help }.flatMap(App.hint),
        ].compactMap { $0 }
        let used = always.reduce(0) { $0 + $1.columnCount }
        let own = actions.filter { !$0.isGeneral }
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

/// The last line: daemon, rows, size on disk, data that was dropped, mouse mode.
enum StatusBar {
    static func draw(_ app: App, into canvas: Canvas, now: Int64) {
        canvas.fill(" ", Style(.plain, on: .bar))
        let facts = app.status
        let right = right(app)
        let column = canvas.columns - right.columnCount
        canvas.part(columns: max(0, column - 1)).draw(left(facts, now), row: 0)
        canvas.draw(right, column: max(0, column), row: 0)
        canvas.tint(row: 0, .bar)
    }

    private static func left(_ facts: StatusFacts, _ now: Int64) -> StyledText {
        var line = StyledText()
        switch facts.isDaemonRunning {
        case true?: line.append(" ● proxyd", Style(.good))
        case false?: line.append(" ○ proxyd is down", Style(.warning))
        case nil: line.append(" ○ proxyd", Style(.dim))
        }
        if let oldest = facts.holds.first {
            let waited = Quantity.duration(max(0, now &- oldest.since))
            line.append(
                "  ⏸ \(facts.holds.count) (oldest \(waited))", Style(.warning).adding(.bold))
        } else if facts.isTakingHolds {
            line.append("  ⏸ 0", Style(.notice))
        }
        if let address = facts.listenAddresses.first { line.append(" \(address)", Style(.dim)) }
        if let reason = facts.recordingStoppedBecause {
            line.append("  not recording: \(reason)", Style(.bad).adding(.bold))
        } else if facts.isDaemonRunning == true {
            line.append("  recording")
        }
        if facts.droppedExchangeCount > 0 || facts.droppedBodyByteCount > 0 {
            line.append(
                "  lost \(Quantity.count(facts.droppedExchangeCount, "exchange")), "
                    + Quantity.bytes(facts.droppedBodyByteCount), Style(.bad).adding(.bold))
        }
        if let problem = facts.rulesProblem { line.append("  \(problem)", Style(.bad)) }
        return line
    }

    private static func right(_ app: App) -> StyledText {
        var line = StyledText()
        if !app.isMouseOn { line.append("mouse off  ", Style(.notice)) }
        if app.isBusy { line.append("… ", Style(.notice)) }
        if let count = app.status.exchangeCount {
            line.append(Quantity.count(count, "row", isGrouped: true))
        }
        if let size = app.status.storeByteCount { line.append("  \(Quantity.bytes(size))") }
        line.append(" ")
        return line
    }
}

/// A line that reports what happened.
struct Notice: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case information, success, problem }

    var kind: Kind
    var text: String

    static func information(_ text: String) -> Notice { Notice(kind: .information, text: text) }
    static func success(_ text: String) -> Notice { Notice(kind: .success, text: text) }
    static func problem(_ text: String) -> Notice { Notice(kind: .problem, text: text) }
}

/// Choices on one screen that later screens start with, until the interface ends.
struct RememberedChoices: Sendable, Hashable {
    /// Whether lists of messages omit pings and pongs.
    var hidesPings = false
}
