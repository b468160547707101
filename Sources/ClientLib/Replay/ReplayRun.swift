internal import ProxydEventLoops
public import ProxydHTTPModel

/// Replays many captured exchanges according to a plan, and compares the results.
///
/// At most `plan.concurrency` exchanges are in memory at a time. Each is repeated `roundCount`
/// times before the next one starts.
public struct ReplayRun: Sendable {
    private let session: Session
    private let plan: ReplayPlan
    private let clock: any ReplayClock

    /// The session decides whether replays are recorded.
    public init(
        _ session: Session, plan: ReplayPlan = ReplayPlan(),
        clock: any ReplayClock = SystemReplayClock()
    ) {
        self.session = session
        self.plan = plan
        self.clock = clock
    }

    /// Sends everything and passes each result to `onResult`, one at a time. Nothing new is sent
    /// after it returns false, or after a mismatch if the plan says so; requests in progress still
    /// finish.
    /// - Throws: errors of the source, and `CancellationError`; requests in progress are then
    ///   cancelled.
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

    /// Waits until `timeNs`, or until nothing more is to be sent.
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
        // Giving up on a long response is not a failure if the response had begun.
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

/// How often, how fast and how faithfully exchanges are replayed.
public struct ReplayPlan: Sendable {
    /// When requests start.
    public enum Pacing: String, Sendable, Hashable, CaseIterable {
        /// As soon as there is capacity, or after the delay.
        case none
        /// At the original intervals, if there is capacity.
        case original
    }

    public var fidelity = ReplayFidelity.semantic
    public var version = ReplayVersion.recorded
    public var edits: [ReplayEdit] = []
    /// How often each exchange is sent.
    public var roundCount = 1
    public var concurrency = 1
    /// The minimum time between the starts of two requests.
    public var delay = Duration.zero
    /// The upper bound of a uniformly random addition to the delay.
    public var jitter = Duration.zero
    /// The seed of the jitter: the same seed gives the same delays. Nil for a random one.
    public var seed: UInt64?
    public var pacing = Pacing.none
    /// Whether requests whose bodies were kept only in part are sent with that part and a new
    /// length; otherwise they are refused.
    public var sendsTruncatedBodies = false
    /// How long to read a response that does not end, such as an event stream; the request is then
    /// given up, which is not a failure. Nil for no limit.
    public var duration: Duration?
    public var stopsOnMismatch = false

    public init() {}
}

/// How closely a replay matches the original.
public enum ReplayFidelity: String, Sendable, Hashable, CaseIterable {
    /// The head byte for byte as proxyd sent it to the server, and the body as captured.
    case bytes
    /// Host, framing and edited parts are composed anew; nothing else changes.
    case semantic
}

/// The version of HTTP that a replay uses.
public enum ReplayVersion: String, Sendable, Hashable, CaseIterable {
    /// The version in which the captured request reached its server. If it reached none and came in
    /// HTTP/2 over TLS, or came in HTTP/3, the server chooses by ALPN.
    case recorded
    case http11 = "1.1"
    /// HTTP/2, by prior knowledge if there is no TLS. Servers that do not support it fail the
    /// replay.
    case http2 = "2"

    func protocols(for exchange: Exchange) -> [HTTPProtocol] {
        let serverVersion = exchange.http2?.serverVersion
        let recorded = serverVersion ?? exchange.request.head?.version ?? .http11
        let isHTTP2 = self == .http2 || (self == .recorded && recorded >= .http2)
        guard isHTTP2 else { return [.http11] }
        let version = HTTPProtocol.onlyHTTP2(scheme: exchange.request.url?.scheme ?? "http")
        let isServersChoice = self == .recorded && serverVersion == nil && version == .http2
        return isServersChoice ? [.http2, .http11] : [version]
    }
}

/// Supplies the exchanges of a run one at a time, so that a million of them need little memory.
public protocol ReplaySource {
    /// The next exchange, or nil after the last.
    mutating func next() async throws -> Exchange?
}

/// Exchanges in memory.
public struct ReplayList: ReplaySource, Sendable {
    private var rest: ArraySlice<Exchange>

    public init(_ exchanges: [Exchange]) { rest = exchanges[...] }

    public mutating func next() -> Exchange? { rest.popFirst() }
}

/// Determines when each request of a run starts, on the run's clock.
struct ReplaySchedule {
    private let delayNs: Int64
    private let jitterNs: Int64
    private let pacing: ReplayPlan.Pacing
    private var generator: SeededGenerator
    private var lastNs: Int64?
    /// When the first original started, on the wall clock, and when its replay did.
    private var anchor: (wallNs: Int64, startNs: Int64)?

    init(_ plan: ReplayPlan) {
        delayNs = max(0, plan.delay.nanoseconds)
        jitterNs = max(0, plan.jitter.nanoseconds)
        pacing = plan.pacing
        generator = SeededGenerator(seed: plan.seed ?? .random(in: 0 ... .max))
    }

    /// When the next request starts, not before `now`.
    mutating func next(_ exchange: Exchange, round: Int, now: Int64) -> Int64 {
        var startNs = now
        if let lastNs { startNs = max(now, lastNs &+ delayNs &+ nextJitterNs()) }
        if pacing == .original, round == 1 {
            let wallNs = exchange.timeline.wallStart
            if let anchor {
                startNs = max(startNs, anchor.startNs &+ max(0, wallNs &- anchor.wallNs))
            } else {
                anchor = (wallNs, startNs)
            }
        }
        lastNs = startNs
        return startNs
    }

    private mutating func nextJitterNs() -> Int64 {
        jitterNs == 0 ? 0 : Int64.random(in: 0...jitterNs, using: &generator)
    }
}

/// A seeded random number generator (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Tells the time for replays and waits; tests supply their own.
public protocol ReplayClock: Sendable {
    /// Nanoseconds since an arbitrary moment.
    func now() -> Int64
    /// Waits until the time, or until the task is cancelled.
    func wait(until timeNs: Int64) async throws
}

/// The monotonic clock.
public struct SystemReplayClock: ReplayClock {
    public init() {}

    public func now() -> Int64 { EventLoop.monotonicNow() }

    public func wait(until timeNs: Int64) async throws {
        let rest = timeNs &- now()
        if rest > 0 { try await Task.sleep(for: .nanoseconds(rest)) }
    }
}
