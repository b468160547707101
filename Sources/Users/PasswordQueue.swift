/// The answer to a name and a password.
public enum PasswordVerdict: Sendable, Hashable {
    case right
    /// The name or the password is wrong.
    case wrong
    /// Too many checks wait: nothing was checked.
    case tooMany
}

/// Decides which password is checked next, and when each answer is given. It has no clock and no
/// threads.
///
/// ```
/// ask ──known to be right──▶ right
///  │ └──too many wait──▶ tooMany
///  ▼
/// queue of (client, user) ──next──▶ checked by a thread ──done──▶ right
///                                                         └──▶ delayed ──due──▶ wrong
/// ```
/// One password at a time is checked for each client, and clients take turns, as do the users of
/// a client. A queue with a wrong answer waits until that has been given, which bounds how many
/// passwords can be tried in a time.
struct PasswordQueue {
    /// A question that waits for its answer.
    struct Question {
        let client: String
        /// The user's name, whether known or not: the limits must not reveal which.
        let user: [UInt8]
        /// Whether there is such a user; otherwise no password is right.
        let isKnown: Bool
        let password: [UInt8]
        /// What the password is checked against; for an unknown user, a hash that costs the same.
        let hash: PasswordHash
        /// Identifies user, hash and password.
        let digest: [UInt8]
        let answer: @Sendable (PasswordVerdict) -> Void
    }

    typealias Answer = (question: Question, verdict: PasswordVerdict)

    private struct UserQueue {
        let user: [UInt8]
        var waiting: [Question] = []
        /// Wrong credentials whose answers are delayed.
        var delayed: (questions: [Question], dueAt: Int64)?

        var isEmpty: Bool { waiting.isEmpty && delayed == nil }

        /// How many different credentials are waiting, including these.
        func credentialCount(with digest: [UInt8]) -> Int {
            Set((waiting + (delayed?.questions ?? [])).map(\.digest)).union([digest]).count
        }

        /// Removes and returns the questions with the same credentials.
        mutating func take(_ digest: [UInt8]) -> [Question] {
            let taken = waiting.filter { $0.digest == digest }
            waiting.removeAll { $0.digest == digest }
            return taken
        }
    }

    private struct Client {
        var isChecking = false
        var queues: [UserQueue] = []
        /// The number of questions, including the one being checked.
        var count = 0
    }

    private let limits: PasswordQueueLimits
    private var clients: [String: Client] = [:]
    /// The clients with questions, in the order of their turns.
    private var turns: [String] = []
    private var rightAnswers: RightAnswers
    private var reports: WrongReports
    private(set) var count = 0

    init(_ limits: PasswordQueueLimits) {
        self.limits = limits
        rightAnswers = RightAnswers(limits)
        reports = WrongReports(limits)
    }

    /// Takes a question. Returns the answer if it is already known.
    mutating func ask(_ question: Question, at now: Int64) -> PasswordVerdict? {
        if question.isKnown, rightAnswers.contains(question.digest, at: now) { return .right }
        var client = clients[question.client] ?? Client()
        let index = client.queues.firstIndex { $0.user == question.user }
        let credentialCount = index.map { client.queues[$0].credentialCount(with: question.digest) }
        guard count < limits.totalMax, client.count < limits.perClientMax,
            credentialCount ?? 1 <= limits.perUserMax
        else { return .tooMany }
        if let index {
            client.queues[index].waiting.append(question)
        } else {
            client.queues.append(UserQueue(user: question.user, waiting: [question]))
        }
        client.count += 1
        count += 1
        if clients.updateValue(client, forKey: question.client) == nil {
            turns.append(question.client)
        }
        return nil
    }

    mutating func isReportDue(_ client: String, at now: Int64) -> Bool {
        reports.isDue(client, at: now)
    }

    /// The next question to check; nil if all have to wait. `done` must follow.
    mutating func next() -> Question? {
        for (position, name) in turns.enumerated() {
            guard var client = clients[name], !client.isChecking,
                let index = client.queues.firstIndex(where: {
                    $0.delayed == nil && !$0.waiting.isEmpty
                })
            else { continue }
            let question = client.queues[index].waiting.removeFirst()
            // The client's next turn is another user's.
            client.queues.append(client.queues.remove(at: index))
            client.isChecking = true
            clients[name] = client
            turns.append(turns.remove(at: position))
            return question
        }
        return nil
    }

    /// Takes the result of a check; returns the answers to give now.
    mutating func done(_ question: Question, isRight: Bool, at now: Int64) -> [Answer] {
        guard var client = clients[question.client] else { return [] }
        client.isChecking = false
        let index = client.queues.firstIndex { $0.user == question.user }
        // All questions with the same credentials get the same answer.
        let same = [question] + (index.map { client.queues[$0].take(question.digest) } ?? [])
        var answers: [Answer] = []
        if isRight, question.isKnown {
            rightAnswers.insert(question.digest, at: now)
            answers = same.map { ($0, .right) }
            forget(answers.count, of: &client)
        } else if let index {
            client.queues[index].delayed = (same, now &+ limits.wrongDelayNs)
        }
        put(client, question.client)
        return answers
    }

    /// The wrong answers whose delay has ended.
    mutating func due(at now: Int64) -> [Answer] {
        var answers: [Answer] = []
        for name in turns {
            guard var client = clients[name] else { continue }
            let before = answers.count
            for index in client.queues.indices {
                guard let delayed = client.queues[index].delayed, delayed.dueAt <= now else {
                    continue
                }
                client.queues[index].delayed = nil
                answers += delayed.questions.map { ($0, .wrong) }
            }
            guard answers.count > before else { continue }
            forget(answers.count - before, of: &client)
            put(client, name)
        }
        return answers
    }

    /// When the next delay ends; nil if there is none.
    var nextDueAt: Int64? {
        clients.values.lazy.flatMap(\.queues).compactMap(\.delayed?.dueAt).min()
    }

    private mutating func forget(_ answered: Int, of client: inout Client) {
        client.count -= answered
        count -= answered
    }

    /// Keeps a client as long as it has questions.
    private mutating func put(_ client: Client, _ name: String) {
        var client = client
        client.queues.removeAll { $0.isEmpty && !client.isChecking }
        if client.count == 0 {
            clients[name] = nil
            turns.removeAll { $0 == name }
        } else {
            clients[name] = client
        }
    }
}

/// The credentials that were right, by their keyed digests, for a limited time.
struct RightAnswers {
    private let limits: PasswordQueueLimits
    /// When each digest is forgotten, on the monotonic clock.
    private var forgottenAt: [[UInt8]: Int64] = [:]

    init(_ limits: PasswordQueueLimits) { self.limits = limits }

    func contains(_ digest: [UInt8], at now: Int64) -> Bool {
        forgottenAt[digest].map { now < $0 } ?? false
    }

    mutating func insert(_ digest: [UInt8], at now: Int64) {
        if forgottenAt.count >= limits.rememberedMax {
            forgottenAt = forgottenAt.filter { now < $0.value }
        }
        // All are fresh: forgetting one costs its user no more than another check.
        if forgottenAt.count >= limits.rememberedMax, let any = forgottenAt.first?.key {
            forgottenAt[any] = nil
        }
        forgottenAt[digest] = now &+ limits.rememberedNs
    }
}

/// When wrong passwords of each client were last reported.
struct WrongReports {
    private let limits: PasswordQueueLimits
    private var lastAt: [String: Int64] = [:]

    init(_ limits: PasswordQueueLimits) { self.limits = limits }

    /// Whether a wrong password of a client is to be reported now.
    mutating func isDue(_ client: String, at now: Int64) -> Bool {
        if let last = lastAt[client], now &- last < limits.reportNs { return false }
        if lastAt.count >= limits.reportedMax {
            lastAt = lastAt.filter { now &- $0.value < limits.reportNs }
        }
        // With this many clients, the log says enough.
        guard lastAt.count < limits.reportedMax else { return false }
        lastAt[client] = now
        return true
    }
}
