internal import ProxydPresentation
internal import ProxydOperations

/// Operations on holds, off the drawing thread.
enum HoldWork {
    private static func holding(_ context: WorkContext) throws -> any Holding {
        guard let holding = context.hostActions.holding else {
            throw WorkFailure("messages cannot be held here")
        }
        return holding
    }

    static func take(_ isOn: Bool) -> Work<Notice?> {
        Work("take holds", on: .actions, isKept: true) { context in
            try holding(context).take(isOn)
            return .success(isOn ? "holding is on" : "holding is off")
        }
    }

    static func resumeAll() -> Work<Notice?> {
        Work("resume all", on: .actions, isKept: true) { context in
            let count = try holding(context).resumeAll()
            return .success("\(Quantity.count(count, "message")) went on")
        }
    }

    /// Opens a hold for editing, or for writing an answer.
    static func open(_ facts: HeldFacts, toAnswer: Bool = false) -> Work<HoldsScreen.News> {
        Work("open hold", on: .actions) { context in
            let hold = try holding(context).open(facts.hold)
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

    /// Opens and decides a hold in one step.
    static func decide(
        _ facts: HeldFacts, _ words: String,
        _ decide: @escaping @Sendable (any OpenedHold) throws -> Void
    ) -> Work<Notice?> {
        Work("decide", on: .actions, isKept: true) { context in
            try decide(try holding(context).open(facts.hold))
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
