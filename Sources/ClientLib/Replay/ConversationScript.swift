internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import Synchronization

/// Reads a recorded WebSocket message by message: what its client said, and what came of it.
struct ConversationScript {
    /// A message to be sent.
    struct Line: Sendable {
        let message: WebSocketRequest.Message
        /// How many messages of the server stood before it.
        let answerCount: Int
        /// When it was sent, after the start of the exchange; nanoseconds.
        let offsetNs: Int64
    }

    private let sendsTruncated: Bool
    /// What came of the messages so far.
    private(set) var outcome = ConversationResult.Outcome()
    /// What the client closed it with; nil where it did not, or only answered the server.
    private(set) var closing: WebSocketClosing?

    init(sendsTruncated: Bool) { self.sendsTruncated = sendsTruncated }

    /// What is to be sent for the next message; nil where nothing is.
    /// - Throws: `.replayRefused` with `.truncatedMessage` or `.messageNotUTF8`.
    mutating func take(_ record: MessageRecord) throws(ClientError) -> Line? {
        guard case .bytes(let bytes) = record.content else { return nil }
        if record.kind == .close {
            note(close: bytes, record.direction)
            return nil
        }
        guard record.kind == .text || record.kind == .binary,
            !record.flags.contains(.unfinished)
        else { return nil }
        if record.direction == .toClient {
            outcome.receivedCount += 1
            return nil
        }
        let unknown: MessageRecord.Flags = [.cut, .stillCompressed]
        guard sendsTruncated || record.flags.isDisjoint(with: unknown) else {
            throw ClientError(
                .replayRefused(
                    .truncatedMessage(
                        position: record.position, byteCount: record.byteCount,
                        keptByteCount: Int64(bytes.count))))
        }
        let message = try message(bytes, of: record)
        outcome.sentCount += 1
        return Line(
            message: message, answerCount: outcome.receivedCount, offsetNs: record.offsetNs)
    }

    /// What was said, byte for byte.
    private func message(
        _ bytes: [UInt8], of record: MessageRecord
    ) throws(ClientError) -> WebSocketRequest.Message {
        guard record.kind == .text else { return .data(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ClientError(.replayRefused(.messageNotUTF8(position: record.position)))
        }
        return .string(text)
    }

    private mutating func note(close bytes: [UInt8], _ direction: MessageRecord.Direction) {
        // What breaks the rules is not said again.
        let said = (try? WebSocketClosing(bytes.span)) ?? WebSocketClosing(code: 1_000)
        switch direction {
        case .toClient: outcome.closeCode = said.code.map(Int.init) ?? 1_005
        case .toServer: closing = outcome.closeCode == nil ? said : nil
        }
    }
}

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

/// Counts what comes from a server, and lets one task wait for a count, for a while.
final class AnswerCount: Sendable {
    private typealias Continuation = UnsafeContinuation<Bool, Never>

    private struct State {
        var count = 0
        var isOver = false
        var wanted = 0
        var waitNumber = 0
        /// The newest wait that is not to go on, also where it has not begun yet.
        var expired = 0
        var waiting: Continuation?

        mutating func takeWaiting() -> Continuation? {
            guard isOver || count >= wanted else { return nil }
            defer { waiting = nil }
            return waiting
        }

        /// Begins a wait; what came of it where that is known.
        mutating func wait(_ number: Int, for count: Int, _ continuation: Continuation) -> Bool? {
            if isOver || self.count >= count { return true }
            if expired >= number { return false }
            wanted = count
            waiting = continuation
            return nil
        }
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// Whether nothing more comes, or is waited for.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// One more came.
    func add() {
        state.withLock { state in
            state.count += 1
            return state.takeWaiting()
        }?.resume(returning: true)
    }

    /// Nothing more comes, or is waited for.
    func end() {
        state.withLock { state in
            state.isOver = true
            return state.takeWaiting()
        }?.resume(returning: true)
    }

    /// Waits until this many answers have come or no more can come, but not after `limit` returns.
    /// Returns whether it was in time.
    func wait(
        for count: Int, within limit: @escaping @Sendable () async throws -> Void
    ) async -> Bool {
        let number = state.withLock { state in
            state.waitNumber += 1
            return state.waitNumber
        }
        let timer = Task {
            if (try? await limit()) != nil { giveUp(number) }
        }
        defer { timer.cancel() }
        return await withUnsafeContinuation { (continuation: Continuation) in
            let outcome = state.withLock { $0.wait(number, for: count, continuation) }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    private func giveUp(_ number: Int) {
        state.withLock { state -> Continuation? in
            state.expired = number
            guard state.waitNumber == number else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }?.resume(returning: false)
    }
}

/// Measures time from a beginning, with any clock.
struct ElapsedTime: Sendable {
    private let sleepUntil: @Sendable (Duration) async throws -> Void

    /// Begins now.
    init(_ clock: any Clock<Duration>) { sleepUntil = ElapsedTime.sleeper(clock) }

    /// Sleeps until so much time has passed since the beginning.
    func sleep(until elapsed: Duration) async throws { try await sleepUntil(elapsed) }

    private static func sleeper<C: Clock>(
        _ clock: C
    ) -> @Sendable (Duration) async throws -> Void where C.Duration == Duration {
        let start = clock.now
        return { elapsed in
            try await clock.sleep(until: start.advanced(by: elapsed), tolerance: nil)
        }
    }
}
