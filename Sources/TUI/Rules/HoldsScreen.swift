internal import ProxydCaptureModel
internal import ProxydRules
internal import ProxydOperations
internal import ProxydPresentation
internal import ProxydTerminalText

/// The list of held messages, with the time each still waits, and the actions on them.
struct HoldsScreen: ScreenModel {
    typealias Answer = Never

    enum News: Sendable {
        case lines(HeldLinesScreen)
        case request(ComposeScreen)
    }

    /// The number of lines that are not holds: the description and headings.
    static let barCount = 2

    let title = "Held"
    let scopes: Set<Action.Scope> = [.everywhere, .moving, .holds]
    private var selected: Int64?
    private var cursor = ListCursor()

    mutating func appear(_ context: Context) -> [Effect] {
        keep(cursor(in: context), context)
        return []
    }

    /// The cursor in the current list: on the same hold, or on the one that took its place.
    func cursor(in context: Context) -> ListCursor {
        let holds = context.status.holds
        var cursor = cursor
        cursor.height = max(1, context.size.rows - HoldsScreen.barCount)
        cursor.count = holds.count
        let index =
            holds.firstIndex { $0.hold == selected } ?? holds.firstIndex { $0.hold > selected ?? 0 }
        cursor.select(index ?? holds.count - 1)
        return cursor
    }

    private func selection(_ context: Context) -> HoldSummary? {
        let index = cursor(in: context).selected
        return context.status.holds.indices.contains(index) ? context.status.holds[index] : nil
    }

    private mutating func keep(_ cursor: ListCursor, _ context: Context) {
        self.cursor = cursor
        guard context.status.holds.indices.contains(cursor.selected) else { return }
        selected = context.status.holds[cursor.selected].hold
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        var cursor = cursor(in: context)
        let isMove = cursor.perform(action)
        keep(cursor, context)
        if isMove { return [] }
        switch action {
        case .takeHolds: return [.act(HoldWork.take(!context.status.isTakingHolds))]
        case .resumeAllHolds: return [.act(HoldWork.resumeAll())]
        default: return decide(action, context)
        }
    }

    private func decide(_ action: ActionID, _ context: Context) -> [Effect] {
        guard let facts = selection(context) else { return [] }
        switch action {
        case .openHold: return [.work(HoldWork.open(facts))]
        case .answerHold: return [.work(HoldWork.open(facts, toAnswer: true))]
        case .resumeHold:
            return [
                .act(
                    HoldWork.decide(facts, "the message goes on") {
                        try $0.resume(head: nil, content: nil)
                    })
            ]
        case .dropHold:
            return [
                .act(HoldWork.decide(facts, "the client's connection was closed") { try $0.drop() })
            ]
        default: return []
        }
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .lines(let screen): [.open(screen)]
        case .request(let screen): [.open(screen)]
        }
    }

    mutating func input(_ event: InputEvent, _ context: Context) -> [Effect]? {
        guard case .mouse(var mouse) = event else { return nil }
        var cursor = cursor(in: context)
        mouse.position.row -= HoldsScreen.barCount
        let press = cursor.use(mouse)
        keep(cursor, context)
        return press == .again ? decide(.openHold, context) : []
    }

    // MARK: Drawing

    func draw(into canvas: Canvas, _ context: Context) {
        drawTitle(canvas.part(rows: 1), context)
        let holds = context.status.holds
        guard !holds.isEmpty else {
            for (row, line) in nothing(context).enumerated() {
                canvas.draw(line, column: 2, row: row + 2, width: canvas.columns - 4, Style(.dim))
            }
            return
        }
        canvas.draw(
            "   waited     left  what      rule              message", row: 1, Style(.heading))
        let body = canvas.part(row: HoldsScreen.barCount)
        body.drawLines(of: cursor(in: context)) { index, row in
            body.draw(HoldsScreen.line(holds[index], context.now), row: row)
        }
    }

    private func drawTitle(_ canvas: Canvas, _ context: Context) {
        var line = StyledText(" Held", Style(.heading).adding(.bold))
        let isOn = context.status.isTakingHolds
        line.append(
            isOn ? "  holding is on" : "  holding is off: rules hold nothing",
            isOn ? Style(.good) : Style(.warning))
        canvas.drawBar(line)
    }

    private func nothing(_ context: Context) -> [String] {
        if context.status.isDaemonRunning != true {
            return ["proxyd is not running: nothing can be held."]
        }
        guard context.status.isTakingHolds else {
            return [
                "B turns holding on: then rules with { hold = true } hold messages here.",
                "A held message that gets no decision goes on by itself after a while.",
            ]
        }
        return [
            "Nothing is held now. A rule selects what to hold:",
            "proxyctl rule add stop --when 'method=POST path:/pay' --request hold",
            "Messages are held only while holding is on; B turns it off.",
        ]
    }

    private static func line(_ facts: HoldSummary, _ now: Int64) -> StyledText {
        var line = StyledText(facts.claimedBy == nil ? " " : "✎", Style(.notice))
        let waited = Quantity.duration(max(0, now &- facts.since))
        let left = Quantity.duration(max(0, facts.deadline &- now))
        line.append(padded(waited, 8, isRight: true), Style(.plain))
        line.append(padded(left, 9, isRight: true), Style(.dim))
        line.append("  " + padded(facts.isRequest ? "request" : "response", 9), Style(.key))
        line.append(" " + padded(facts.rule, 17), Style(.accent))
        if let name = facts.claimedBy { line.append(" claimed by \(name)", Style(.notice)) }
        if let status = facts.status { line.append(" \(status)", Style(.notice)) }
        line.append(" \(facts.method) ", Style(.plain).adding(.bold))
        line.append(facts.url)
        return line
    }

    private static func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        String(TerminalText.sanitize(text).prefix(width)).padded(to: width, isRight: isRight)
    }
}

enum HoldWork {
    private static func holdHandling(_ context: WorkContext) throws -> any HoldHandling {
        try context.hostActions.holdHandling.orFail("messages cannot be held here")
    }

    static func take(_ isOn: Bool) -> Work<Notice?> {
        Work("take holds", on: .actions, isKept: true) { context in
            try holdHandling(context).take(isOn)
            return .success(isOn ? "holding is on" : "holding is off")
        }
    }

    /// Adds the temporary rule that holds requests like this one and turns holding on, or removes
    /// the rule if it is there.
    static func toggleBreakpoint(on row: ExchangeRow) -> Work<Notice?> {
        Work("break", on: .actions, isKept: true) { context in
            let editing = try context.hostActions.ruleEditing.orFail("rules cannot be changed here")
            let report = try editing.rules()
            guard report.isDaemonRunning else {
                throw WorkFailure("proxyd is not running: nothing can be held")
            }
            guard row.host != nil, row.method != nil, row.path != nil else {
                throw WorkFailure("only a request with a host, a method and a path can be held")
            }
            let draft = RuleDraft(breakingOn: row, beside: report.rules)
            if report.rules.contains(where: { $0.name == draft.name }) {
                _ = try editing.change(.remove(name: draft.name), isTemporary: true)
                return .success("requests like this are no longer held")
            }
            let lines = try draft.lines()
            _ = try editing.change(
                .add(name: draft.name, lines: lines, place: .last), isTemporary: true)
            try holdHandling(context).take(true)
            return .success(
                "requests like this are held from now on; H shows them, B here ends it")
        }
    }

    static func resumeAll() -> Work<Notice?> {
        Work("resume all", on: .actions, isKept: true) { context in
            let count = try holdHandling(context).resumeAll()
            return .success("\(Quantity.count(count, "message")) went on")
        }
    }

    /// Opens a hold for editing, or for writing an answer.
    static func open(_ facts: HoldSummary, toAnswer: Bool = false) -> Work<HoldsScreen.News> {
        Work("open hold", on: .actions) { context in
            let hold = try holdHandling(context).open(facts.hold)
            if toAnswer { return .lines(HeldLinesScreen(answering: hold, facts)) }
            guard facts.isRequest else { return .lines(HeldLinesScreen(hold, facts)) }
            do throws(RequestDraft.Problem) {
                let draft = try RequestDraft(head: hold.head, content: hold.content ?? [])
                return .request(ComposeScreen(held: hold, draft))
            } catch {
                return .lines(HeldLinesScreen(hold, facts))
            }
        }
    }

    static func decide(
        _ facts: HoldSummary, _ words: String,
        _ decide: @escaping @Sendable (any OpenedHold) throws -> Void
    ) -> Work<Notice?> {
        Work("decide", on: .actions, isKept: true) { context in
            try decide(try holdHandling(context).open(facts.hold))
            return .success(words)
        }
    }

    /// Decides an open hold; returns the text of the notice.
    static func decide(
        _ words: String, _ decide: @escaping @Sendable () throws -> Void
    ) -> Work<String> {
        Work("decide", on: .actions) { _ in
            try decide()
            return words
        }
    }
}
