internal import ProxydPresentation
internal import ProxydOperations

/// Saves a body and adds the rule that serves it; offers to change the daemon's memory if the rules
/// file cannot be written.
struct RuleMapScreen: ScreenModel {
    typealias Answer = Never

    enum News: Sendable {
        case saved(Notice)
        case refused(RuleRefusal)
        /// The rule is to be added in the daemon's memory.
        case temporary
    }

    let title = "Serving from a file"
    let presentation = Presentation.box(Size(columns: 70, rows: 2))
    private var order: RuleMapOrder
    private var isStarted = false
    private var problem: String?

    init(_ order: RuleMapOrder) { self.order = order }

    mutating func appear(_ context: Context) -> [Effect] {
        guard !isStarted else { return [] }
        isStarted = true
        return [.work(RuleWorks.map(order))]
    }

    mutating func perform(_ action: ActionID, _ context: Context) -> [Effect] {
        action == .close || action == .cancel ? [.close] : []
    }

    mutating func receive(_ news: News, _ context: Context) -> [Effect] {
        switch news {
        case .saved(let notice): return [.close, .notify(notice)]
        case .refused(let refusal):
            problem = refusal.description
            guard refusal.reason == .file, context.status.isDaemonRunning == true else {
                return []
            }
            return [
                .notify(.problem(refusal.description)),
                .ask(ChoiceScreen.offeringTemporary(News.temporary)) { $0 },
            ]
        case .temporary:
            problem = nil
            order.isTemporary = true
            return [.work(RuleWorks.map(order))]
        }
    }

    mutating func fail(_ slot: String, _ words: String, _ context: Context) -> [Effect] {
        problem = words
        return []
    }

    func draw(into canvas: Canvas, _ context: Context) {
        canvas.draw(order.file, column: 1, row: 0, width: canvas.columns - 2)
        canvas.draw(
            problem ?? "saving…", column: 1, row: 1, width: canvas.columns - 2,
            Style(problem == nil ? .dim : .bad))
    }
}

extension ChoiceScreen {
    /// Asks whether to change the rules in the daemon's memory if the file cannot be changed.
    static func offeringTemporary(_ answer: Chosen) -> ChoiceScreen {
        ChoiceScreen(
            "The file was not written",
            [
                Choice(key: Key("t"), name: "change them until the daemon ends", answer: answer)
            ])
    }
}
