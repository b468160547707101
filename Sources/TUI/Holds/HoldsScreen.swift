/// What is held: a list that says how long each still waits, and what can be done about it.
struct HoldsScreen: ScreenModel {
    /// Lines that are no holds: what is shown, and headings.
    static let barCount = 2

    let title = "Held"
    let places: Set<Action.Place> = [.everywhere, .moving, .holds]
    /// The hold of the cursor; nil before there was one.
    private(set) var selected: Int64?
    private var top = 0

    mutating func appear(_ context: Context) -> [Effect] {
        keepSelection(context)
        return []
    }

    /// The hold of the cursor, or the one that took its place.
    func selection(_ context: Context) -> HeldFacts? {
        let holds = context.status.holds
        return holds.first { $0.hold == selected } ?? holds.first { $0.hold > selected ?? 0 }
            ?? holds.last
    }

    /// The first row that is shown.
    func firstRow(_ context: Context) -> Int {
        let room = max(1, context.size.rows - HoldsScreen.barCount)
        let holds = context.status.holds
        guard let index = holds.firstIndex(where: { $0.hold == selection(context)?.hold }) else {
            return 0
        }
        return max(0, min(index, max(top, index - room + 1)))
    }

    private mutating func keepSelection(_ context: Context) {
        selected = selection(context)?.hold
        top = firstRow(context)
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        keepSelection(context)
        let page = max(1, context.size.rows - HoldsScreen.barCount)
        switch action {
        case .up: move(-1, context)
        case .down: move(1, context)
        case .pageUp, .halfPageUp: move(-page, context)
        case .pageDown, .halfPageDown: move(page, context)
        case .first: move(-context.status.holds.count, context)
        case .last: move(context.status.holds.count, context)
        case .takeHolds: return [HoldWork.take(!context.status.isTakingHolds)]
        case .resumeAllHolds: return [HoldWork.resumeAll()]
        default: return decide(action, context)
        }
        return []
    }

    private mutating func move(_ step: Int, _ context: Context) {
        let holds = context.status.holds
        guard let index = holds.firstIndex(where: { $0.hold == selected }) else { return }
        selected = holds[max(0, min(holds.count - 1, index + step))].hold
        top = firstRow(context)
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
        guard case .mouse(let mouse) = event else { return nil }
        keepSelection(context)
        switch mouse.kind {
        case .scrollUp: move(-3, context)
        case .scrollDown: move(3, context)
        case .press where mouse.button == .left:
            let row = mouse.position.row - HoldsScreen.barCount + top
            guard context.status.holds.indices.contains(row) else { return [] }
            let isAgain = selected == context.status.holds[row].hold
            selected = context.status.holds[row].hold
            if isAgain { return decide(.openHold, context) }
        default: break
        }
        return []
    }
}
