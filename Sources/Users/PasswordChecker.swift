internal import ProxydSystem
internal import ProxydTLS
internal import Synchronization

/// Checks the passwords of clients on threads of its own, and remembers right ones for a while.
public final class PasswordChecker: Sendable {
    /// How many passwords are checked at a time.
    private static let threadCount = 2
    private static let stackByteCount = 512 << 10

    private struct State {
        var queue: PasswordQueue
        var users = ListenerUsers()
        var threadCount = 0
        var isStopped = false
    }

    private let key = KeyedDigest()
    private let state: Mutex<State>
    private let work = Semaphore()
    private let hasUsers = Atomic<Bool>(false)
    private let now: @Sendable () -> Int64
    private let onWrong: @Sendable (_ client: String) -> Void

    /// Creates a checker that knows no users.
    /// - Parameters:
    ///   - now: the monotonic clock; nil for the system's.
    ///   - onWrong: called with a client that sent a wrong password, at most once a minute.
    public init(
        limits: PasswordQueueLimits = PasswordQueueLimits(), now: (@Sendable () -> Int64)? = nil,
        onWrong: @escaping @Sendable (_ client: String) -> Void = { _ in }
    ) {
        state = Mutex(State(queue: PasswordQueue(limits)))
        self.now = now ?? { SystemClock.monotonicNow() }
        self.onWrong = onWrong
    }

    /// Uses these users from now on. Listeners that are no longer among them keep theirs.
    public func use(_ users: ListenerUsers) {
        state.withLock { state in
            state.users.replace(with: users)
            hasUsers.store(!state.users.isEmpty, ordering: .releasing)
        }
    }

    /// Whether clients of a listener need a password.
    public func isRequired(by listener: String) -> Bool {
        guard hasUsers.load(ordering: .acquiring) else { return false }
        return state.withLock { $0.users[listener] != nil }
    }

    /// - Parameters:
    ///   - client: identifies the client; one password is checked for it at a time.
    ///   - answer: called once, from within this call if the answer is known, and otherwise later
    ///     on a thread of the checker.
    public func check(
        user: [UInt8], password: [UInt8], of client: String, at listener: String,
        answer: @escaping @Sendable (PasswordVerdict) -> Void
    ) {
        let table = state.withLock { $0.users[listener] }
        guard let table else { return answer(.wrong) }
        let hash = table.hashes[user]
        let checked = hash ?? table.substitute(for: user, key)
        let question = PasswordQueue.Question(
            client: client, user: user, isKnown: hash != nil, password: password, hash: checked,
            digest: key.digest(
                of: Array(checked.text.utf8) + [0] + user + [UInt8(ascii: ":")] + password),
            answer: answer)
        let known: PasswordVerdict? = state.withLock { state in
            guard !state.isStopped, startThreads(&state) else { return .tooMany }
            return state.queue.ask(question, at: now())
        }
        guard let known else { return work.signal() }
        if known != .right { report(client) }
        answer(known)
    }

    /// Ends the threads. Waiting questions are no longer answered.
    public func stop() {
        state.withLock { $0.isStopped = true }
        for _ in 0..<PasswordChecker.threadCount { work.signal() }
    }

    private func report(_ client: String) {
        if state.withLock({ [now] in $0.queue.isReportDue(client, at: now()) }) { onWrong(client) }
    }

    // MARK: Threads

    /// Starts the threads when they are first needed; returns whether there is one.
    private func startThreads(_ state: inout State) -> Bool {
        while state.threadCount < PasswordChecker.threadCount {
            let hasStarted = startDetachedThread(stackByteCount: PasswordChecker.stackByteCount) {
                [self] in run()
            }
            guard hasStarted else { break }
            state.threadCount += 1
        }
        return state.threadCount > 0
    }

    private func run() {
        while let waitNs = step() {
            if waitNs == .max {
                work.wait()
            } else if waitNs > 0 {
                _ = work.wait(forNs: waitNs)
            }
        }
    }

    /// Does what can be done now. Returns how long to wait afterwards, in nanoseconds: `Int64.max`
    /// until there is work; nil to end.
    func step() -> Int64? {
        let (answers, question, dueAt) = state.withLock { state in
            (
                state.queue.due(at: now()), state.isStopped ? nil : state.queue.next(),
                state.queue.nextDueAt
            )
        }
        give(answers)
        if let question {
            let isRight = question.hash.matches(question.password)
            give(
                state.withLock { state in
                    state.queue.done(question, isRight: isRight, at: now())
                })
            return 0
        }
        if state.withLock({ $0.isStopped }) { return nil }
        return dueAt.map { max(1, $0 &- now()) } ?? .max
    }

    private func give(_ answers: [PasswordQueue.Answer]) {
        for answer in answers {
            if answer.verdict == .wrong { report(answer.question.client) }
            answer.question.answer(answer.verdict)
        }
    }
}

extension UserTable {
    /// The hash that an unknown name is checked against: it costs as much as that of one of the
    /// users, and is always the same for a name.
    fileprivate func substitute(for name: [UInt8], _ key: KeyedDigest) -> PasswordHash {
        let first = key.digest(of: name).first ?? 0
        guard !names.isEmpty, let hash = hashes[names[Int(first) % names.count]] else {
            return .unmatched
        }
        return hash
    }
}

public struct PasswordQueueLimits: Sendable {
    /// How many different passwords of one user may wait for a client.
    public var perUserMax = 4
    public var perClientMax = 128
    /// How many checks may wait for all clients.
    public var totalMax = 2_048
    /// How long the answer to a wrong password is delayed, in nanoseconds. The next check of the
    /// same user for the same client begins after it.
    public var wrongDelayNs: Int64 = 100_000_000
    /// How long a right answer is remembered, in nanoseconds.
    public var rememberedNs: Int64 = 600_000_000_000
    public var rememberedMax = 8_192
    /// How often wrong passwords of a client are reported, in nanoseconds.
    public var reportNs: Int64 = 60_000_000_000
    /// How many clients are known to have been reported.
    public var reportedMax = 4_096

    public init() {}
}
