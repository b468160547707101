internal import ProxydPresentation

/// What is done to holds, off the drawing thread.
enum HoldWork {
    /// A screen for a hold that was opened.
    struct Opened: Sendable {
        let screen: any ScreenModel
    }

    private static func holding(_ context: WorkContext) throws -> any Holding {
        guard let holding = context.world.holding else {
            throw WorkFailure("nothing can be held here")
        }
        return holding
    }

    static func take(_ isOn: Bool) -> Effect {
        .work(
            Work("take holds", on: .world, isKept: true) { context in
                try holding(context).take(isOn)
                return Notice.success(
                    isOn ? "holds are taken" : "holds are not taken any more")
            })
    }

    static func resumeAll() -> Effect {
        .work(
            Work("resume all", on: .world, isKept: true) { context in
                let count = try holding(context).resumeAll()
                return Notice.success("\(Quantity.count(count, "message")) went on")
            })
    }

    /// Opens a hold for a person to edit, or to write an answer.
    static func open(_ facts: HeldFacts, toAnswer: Bool = false) -> Effect {
        .work(
            Work("open hold", on: .world) { context in
                let hold = try holding(context).open(facts.hold)
                if toAnswer { return Opened(screen: HeldLinesScreen(answering: hold, facts)) }
                guard facts.isRequest else {
                    return Opened(screen: HeldLinesScreen(hold, facts))
                }
                do throws(RequestDraft.Problem) {
                    let draft = try RequestDraft(head: hold.head, content: hold.content ?? [])
                    return Opened(screen: ComposeScreen(held: hold, draft))
                } catch {
                    return Opened(screen: HeldLinesScreen(hold, facts))
                }
            })
    }

    /// Decides about a hold at once.
    static func decide(
        _ facts: HeldFacts, _ words: String,
        _ decide: @escaping @Sendable (any OpenedHold) throws -> Void
    ) -> Effect {
        .work(
            Work("decide", on: .world, isKept: true) { context in
                try decide(try holding(context).open(facts.hold))
                return Notice.success(words)
            })
    }

    /// Decides about a hold that is open.
    static func decide(
        _ words: String, _ decide: @escaping @Sendable () throws -> Void
    ) -> Effect {
        .work(
            Work("decide", on: .world) { _ in
                try decide()
                return Decided(words: words)
            })
    }

    /// It was decided: the screen has nothing more to show.
    struct Decided: Sendable {
        let words: String
    }
}
