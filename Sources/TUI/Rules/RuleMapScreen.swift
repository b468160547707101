internal import ProxydPresentation

/// Saves a body and adds the rule that serves it; offers the daemon's memory where the file of
/// rules cannot be written.
struct RuleMapScreen: ScreenModel {
    private enum Answer: Sendable {
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

    mutating func receive(_ news: ScreenNews, _ context: Context) -> [Effect] {
        switch news {
        case .result(_, let notice as Notice): return [.close, .notify(notice)]
        case .result(_, let refused as RuleWorks.Refused):
            problem = refused.refusal.description
            guard refused.refusal.reason == .file, context.status.isDaemonRunning == true else {
                return []
            }
            return [
                .notify(.problem(refused.refusal.description)),
                .open(ChoiceScreen.offeringTemporary(Answer.temporary)),
            ]
        case .failure(_, let words): problem = words
        case .answer(Answer.temporary as Answer):
            problem = nil
            order.isTemporary = true
            return [.work(RuleWorks.map(order))]
        default: break
        }
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
    /// Asks whether rules are to be changed in the daemon's memory, where the file cannot be.
    static func offeringTemporary(_ answer: some Sendable) -> ChoiceScreen {
        ChoiceScreen(
            "The file was not written",
            [
                Choice(key: Key("t"), name: "until the daemon ends: temporary", answer: answer)
            ])
    }
}
