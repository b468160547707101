internal import ProxydHTTPModel

/// Sends many captured exchanges again as a plan says, and compares what comes.
///
/// At most `plan.concurrency` exchanges are in memory at a time. Each is repeated `roundCount`
/// times before the next one's turn comes.
public struct ReplayRun: Sendable {
    private let session: Session
    private let plan: ReplayPlan
    private let clock: any ReplayClock

    /// A run over a session's connections; the session decides whether replays are recorded.
    public init(
        _ session: Session, plan: ReplayPlan = ReplayPlan(),
        clock: any ReplayClock = SystemReplayClock()
    ) {
        self.session = session
        self.plan = plan
        self.clock = clock
    }

    /// Sends everything and hands over each result as it comes, one at a time. Nothing new is sent
    /// once `onResult` says false, or after a mismatch where the plan says so; what is on its way
    /// then still comes.
    /// - Throws: what the source throws, and `CancellationError`; what is on its way is cancelled.
    public func run(
        _ source: some ReplaySource, onResult: (ReplayResult) async throws -> Bool
    ) async throws {
        var source = source
        var schedule = ReplaySchedule(plan)
        try await withThrowingTaskGroup(of: Event.self) { group in
            var state = RunState()
            while state.goesOn, let exchange = try await source.next() {
                var round = 0
                while state.goesOn, round < plan.roundCount {
                    while state.runningCount >= max(1, plan.concurrency) {
                        try await step(&group, &state, onResult)
                    }
                    guard state.goesOn else { break }
                    round += 1
                    let startNs = schedule.next(exchange, round: round, now: clock.now())
                    try await wait(until: startNs, &group, &state, onResult)
                    guard state.goesOn else { break }
                    start(exchange, round: round, &group, &state)
                }
            }
            while state.runningCount > 0 { try await step(&group, &state, onResult) }
            try Task.checkCancellation()
        }
    }

    private enum Event: Sendable {
        case due
        case ended(ReplayResult)
    }

    private typealias Group = ThrowingTaskGroup<Event, any Error>

    private struct RunState {
        var runningCount = 0
        var goesOn = true
        var isWaiting = false
    }

    private func start(
        _ exchange: Exchange, round: Int, _ group: inout Group, _ state: inout RunState
    ) {
        state.runningCount += 1
        group.addTask { .ended(await replay(exchange, round: round)) }
    }

    /// Waits until it is time, or nothing more is to be sent.
    private func wait(
        until timeNs: Int64, _ group: inout Group, _ state: inout RunState,
        _ onResult: (ReplayResult) async throws -> Bool
    ) async throws {
        try Task.checkCancellation()
        guard timeNs > clock.now() else { return }
        let timer = Task { [clock] in try await clock.wait(until: timeNs) }
        state.isWaiting = true
        group.addTask {
            _ = await withTaskCancellationHandler {
                await timer.result
            } onCancel: {
                timer.cancel()
            }
            return .due
        }
        while state.isWaiting {
            try await step(&group, &state, onResult)
            if !state.goesOn { timer.cancel() }
        }
        try Task.checkCancellation()
    }

    /// Waits for what happens next.
    private func step(
        _ group: inout Group, _ state: inout RunState,
        _ onResult: (ReplayResult) async throws -> Bool
    ) async throws {
        switch try await group.next() {
        case nil:
            state.runningCount = 0
            state.isWaiting = false
        case .due?: state.isWaiting = false
        case .ended(let result)?:
            state.runningCount -= 1
            let isWanted = try await onResult(result)
            if !isWanted || (plan.stopsOnMismatch && result.isMismatch) { state.goesOn = false }
        }
    }

    /// Sends one exchange once.
    private func replay(_ exchange: Exchange, round: Int) async -> ReplayResult {
        let consumer = ReplayConsumer(original: exchange.response)
        let plan = plan
        let request = session.replay(consumer: consumer, as: ReplayRequest.init) {
            var exchange = exchange
            if plan.sendsTruncatedBodies {
                exchange.request.body = Body(exchange.request.body.kept)
            }
            return try ReplayedRequest.request(
                of: exchange, plan.fidelity, plan.version, plan.edits)
        }
        let limit = plan.duration.map { duration in
            Task {
                guard (try? await Task.sleep(for: duration)) != nil else { return }
                consumer.leave()
                request.cancel()
            }
        }
        let failure = await request.finished()
        limit?.cancel()
        // What was left after a while has not failed, where its response had begun.
        let error = consumer.isLeft && request.response != nil ? nil : failure
        let attempt = request.core.read { $0.attempts.last }
        let (byteCount, verdict) = consumer.outcome
        let outcome = attempt.map { attempt in
            ReplayResult.Outcome(
                status: attempt.response?.status, bodyByteCount: byteCount,
                durationNs: attempt.report.timeline.requestDuration,
                failure: error == nil ? nil : attempt.error?.exchangeFailure)
        }
        return ReplayResult(
            originalID: exchange.id, id: attempt?.report.exchangeID, round: round,
            request: request.request, original: ReplayResult.Outcome(exchange), replay: outcome,
            body: error == nil ? verdict : .unknown, error: error)
    }
}
