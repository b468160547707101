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

    /// Waits until a message is due, or the WebSocket is over.
    mutating func wait(for line: ConversationScript.Line) async {
        switch plan.pacing {
        case .answers: await wait(forAnswers: line.answerCount)
        case .recorded:
            let due = Duration.nanoseconds(max(0, line.offsetNs - openedNs))
            _ = await answers.wait(for: .max) { [clock] in try await clock.sleep(until: due) }
        }
    }

    /// Waits for the server to say as much as it did, unless it has let us wait in vain before.
    mutating func wait(forAnswers count: Int) async {
        guard answers.count < count, !isImpatient else { return }
        isImpatient = await !isInTime(count)
    }

    /// Waits for the server to close the WebSocket.
    func waitForEnd() async { _ = await isInTime(.max) }

    private func isInTime(_ count: Int) async -> Bool {
        await answers.wait(for: count) { [plan] in
            try await plan.clock.sleep(for: plan.answerTimeout)
        }
    }
}
