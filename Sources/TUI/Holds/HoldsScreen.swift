/// What is held: a list that says how long each still waits, and what can be done about it.
struct HoldsScreen: ScreenModel {
    /// Lines that are no holds: what is shown, and headings.
    static let barCount = 2

    let title = "Held"
    let places: Set<Action.Place> = [.everywhere, .moving, .holds]
    /// The hold of the cursor; nil before there was one.
    private var selected: Int64?
    private var cursor = ListCursor()

    mutating func appear(_ context: Context) -> [Effect] {
        keep(cursor(in: context), context)
        return []
    }

    /// The cursor on what is held now: on its hold, or on the one that took its place.
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

    private func selection(_ context: Context) -> HeldFacts? {
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
        case .takeHolds: return [HoldWork.take(!context.status.isTakingHolds)]
        case .resumeAllHolds: return [HoldWork.resumeAll()]
        default: return decide(action, context)
        }
    }

    private func decide(_ action: ActionID, _ context: Context) -> [Effect] {
        guard let facts = selection(context) else { return [] }
        switch action {
        case .openHold: return [HoldWork.open(facts)]
        case .answerHold: return [HoldWork.open(facts, toAnswer: true)]
        case .resumeHold:
            return [HoldWork.decide(facts, "it goes on") { try $0.resume(head: nil, content: nil) }]
        case .dropHold:
            return [HoldWork.decide(facts, "the client's connection ends") { try $0.drop() }]
        default: return []
        }
    }

    mutating func receive(_ news: ScreenNews, _ context: Context) -> [Effect] {
        switch news {
        case .result(_, let opened as HoldWork.Opened): return [.open(opened.screen)]
        case .result(_, let notice as Notice): return [.notify(notice)]
        case .failure(_, let words): return [.notify(.problem(words))]
        default: return []
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
}
