internal import ProxydHTTPModel

/// When the next message of a replayed WebSocket is sent. Begins when it is open.
struct ConversationPace {
    private let plan: ConversationPlan
    private let answers: AnswerCount
    private let openedNs: Int64
    private let clock: ElapsedTime
    /// Whether the server has let us wait in vain.
    private var isImpatient = false

    init(_ plan: ConversationPlan, _ exchange: Exchange, _ answers: AnswerCount) {
        self.plan = plan
        self.answers = answers
        openedNs = exchange.timeline[.responseHead] ?? 0
        clock = ElapsedTime(plan.clock)
    }

    mutating func wait(for line: ConversationScript.Line) async {
        switch plan.pacing {
        case .answers: await wait(forAnswers: line.answerCount)
        case .recorded:
            let due = Duration.nanoseconds(max(0, line.offsetNs - openedNs))
            try? await clock.sleep(until: due)
        }
    }

    mutating func wait(forAnswers count: Int) async {
        guard answers.count < count, !isImpatient else { return }
        isImpatient = await !within(plan.answerTimeout) { [answers] in
            await answers.wait(for: count)
        }
    }

    func waitForEnd() async {
        _ = await within(plan.answerTimeout) { [answers] in await answers.wait(for: .max) }
    }

    /// Says whether it was done in time.
    private func within(
        _ limit: Duration, _ body: @escaping @Sendable () async -> Void
    ) async -> Bool {
        let timer = Task { [answers, clock = plan.clock] in
            guard (try? await clock.sleep(for: limit)) != nil else { return false }
            answers.giveUp()
            return true
        }
        await body()
        timer.cancel()
        return await !timer.value
    }
}
