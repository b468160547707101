internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import Synchronization

/// Reads a recorded WebSocket message by message: what its client sent, and the outcome.
struct ConversationScript {
    /// A message to be sent.
    struct Line: Sendable {
        let message: WebSocketRequest.Message
        /// The number of server messages before this one.
        let answerCount: Int
        /// When it was sent, in nanoseconds since the start of the exchange.
        let offsetNs: Int64
    }

    private let sendsTruncated: Bool
    /// The outcome of the messages so far.
    private(set) var outcome = ConversationResult.Outcome()
    /// The client's close, or nil if it did not close or only answered the server's.
    private(set) var closing: WebSocketClosing?

    init(sendsTruncated: Bool) { self.sendsTruncated = sendsTruncated }

    /// What to send for the next message, or nil for nothing.
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
        return Line(message: message, answerCount: outcome.receivedCount, offsetNs: record.offsetNs)
    }

    /// The message to send, byte for byte.
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
        // An invalid close is not repeated.
        let said = (try? WebSocketClosing(bytes.span)) ?? WebSocketClosing(code: 1_000)
        switch direction {
        case .toClient: outcome.closeCode = said.code.map(Int.init) ?? 1_005
        case .toServer: closing = outcome.closeCode == nil ? said : nil
        }
    }
}

/// Paces the messages of a replayed WebSocket. Starts when the WebSocket is open.
struct ConversationPace {
    private let plan: ConversationPlan
    private let answers: AnswerCount
    private let openedNs: Int64
    private let clock: ElapsedTime
    /// Whether a wait for the server has timed out.
    private var isImpatient = false

    init(_ plan: ConversationPlan, _ exchange: Exchange, _ answers: AnswerCount) {
        self.plan = plan
        self.answers = answers
        openedNs = exchange.timeline[.responseHead] ?? 0
        clock = ElapsedTime(plan.clock)
    }

    /// Waits until a message is due or the WebSocket has closed.
    mutating func wait(for line: ConversationScript.Line) async {
        switch plan.pacing {
        case .answers: await wait(forAnswers: line.answerCount)
        case .recorded:
            let due = Duration.nanoseconds(max(0, line.offsetNs - openedNs))
            _ = await answers.wait(for: .max) { [clock] in try await clock.sleep(until: due) }
        }
    }

    /// Waits until the server has sent as much as in the recording, unless an earlier wait timed
    /// out.
    mutating func wait(forAnswers count: Int) async {
        guard answers.count < count, !isImpatient else { return }
        isImpatient = await !isInTime(count)
    }

    func waitForEnd() async { _ = await isInTime(.max) }

    private func isInTime(_ count: Int) async -> Bool {
        await answers.wait(for: count) { [plan] in
            try await plan.clock.sleep(for: plan.answerTimeout)
        }
    }
}

/// Counts the server's messages and lets one task wait, up to a limit, for a number of them.
final class AnswerCount: Sendable {
    private typealias Continuation = UnsafeContinuation<Bool, Never>

    private struct State {
        var count = 0
        var isOver = false
        var wanted = 0
        var waitNumber = 0
        /// The latest wait that was cancelled, possibly before it started.
        var expired = 0
        var waiting: Continuation?

        mutating func takeWaiting() -> Continuation? {
            guard isOver || count >= wanted else { return nil }
            defer { waiting = nil }
            return waiting
        }

        /// Starts a wait; returns its result if that is already known.
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

    var isOver: Bool { state.withLock { $0.isOver } }

    func add() {
        state.withLock { state in
            state.count += 1
            return state.takeWaiting()
        }?.resume(returning: true)
    }

    /// No more messages can arrive or are awaited.
    func end() {
        state.withLock { state in
            state.isOver = true
            return state.takeWaiting()
        }?.resume(returning: true)
    }

    /// Waits until this many messages have arrived or no more can arrive, but not after `limit`
    /// returns. Returns whether it was in time.
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

/// Measures the time since its creation on any clock.
struct ElapsedTime: Sendable {
    private let sleepUntil: @Sendable (Duration) async throws -> Void

    init(_ clock: any Clock<Duration>) { sleepUntil = ElapsedTime.sleeper(clock) }

    /// Sleeps until this much time has passed since creation.
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
