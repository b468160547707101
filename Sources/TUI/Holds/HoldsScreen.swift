internal import ProxydOperations

/// The list of held messages, with the time each still waits, and the actions on them.
struct HoldsScreen: ScreenModel {
    typealias Answer = Never

    /// A hold was opened.
    enum News: Sendable {
        case lines(HeldLinesScreen)
        case request(ComposeScreen)
    }

    /// The number of lines that are not holds: the description and headings.
    static let barCount = 2

    let title = "Held"
    let places: Set<Action.Place> = [.everywhere, .moving, .holds]
    /// The hold under the cursor, or nil before there was one.
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
}
