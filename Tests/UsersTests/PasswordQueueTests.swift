import Synchronization
import Testing

@testable import ProxydUsers

/// Who is checked next, and what is answered when.
@Suite struct `The queue of password checks` {
    private let hash: PasswordHash

    init() throws { hash = try PasswordHash(HashSamples.bcrypt) }

    /// The questions by the names of their passwords.
    private func question(
        _ client: String, _ user: String?, _ password: String = "p"
    ) -> PasswordQueue.Question {
        PasswordQueue.Question(
            client: client, user: Array((user ?? "-").utf8), isKnown: user != nil,
            password: Array(password.utf8), hash: hash,
            digest: Array("\(user ?? "-"):\(password)".utf8), answer: { _ in })
    }

    private func name(_ question: PasswordQueue.Question?) -> String? {
        question.map {
            "\($0.client) \(String(decoding: $0.user, as: UTF8.self)) "
                + String(decoding: $0.password, as: UTF8.self)
        }
    }

    private func limits(_ change: (inout PasswordQueueLimits) -> Void = { _ in })
        -> PasswordQueueLimits
    {
        var limits = PasswordQueueLimits()
        limits.wrongDelayNs = 300
        limits.rememberedNs = 600
        limits.reportNs = 60
        change(&limits)
        return limits
    }

    @Test func `a correct password is remembered by the password queue for a limited time`() {
        let queue = Queue(limits())
        let asked = question("a", "alice")
        #expect(queue.ask(asked, at: 0) == nil)
        let next = queue.next()
        #expect(name(next) == "a alice p")
        #expect(queue.done(asked, isRight: true, at: 100).map(\.verdict) == [.right])
        #expect(queue.count == 0)
        #expect(queue.ask(question("b", "alice"), at: 699) == .right)
        #expect(queue.ask(question("b", "alice", "other"), at: 699) == nil)
        #expect(queue.ask(question("c", "alice"), at: 700) == nil)
    }

    @Test
    func `a user's next password is checked only after the delayed response to a wrong one`() {
        let queue = Queue(limits())
        #expect(queue.ask(question("a", "alice", "1"), at: 0) == nil)
        #expect(queue.ask(question("a", "alice", "2"), at: 0) == nil)
        let first = queue.next()
        #expect(queue.next() == nil)
        #expect(first.map { queue.done($0, isRight: false, at: 50).count } == 0)
        #expect(queue.next() == nil)
        #expect(queue.nextDueAt == 350)
        #expect(queue.due(at: 349).isEmpty)
        #expect(queue.due(at: 350).map { name($0.question) } == ["a alice 1"])
        #expect(name(queue.next()) == "a alice 2")
    }

    @Test
    func `the password queue checks one password per client at a time, with clients taking turns`()
    {
        let queue = Queue(limits())
        for asked in [
            question("a", "alice", "1"), question("a", "alice", "2"), question("a", "bob", "3"),
            question("b", "alice", "4"),
        ] { #expect(queue.ask(asked, at: 0) == nil) }
        let (first, second) = (queue.next(), queue.next())
        #expect(name(first) == "a alice 1")
        #expect(name(second) == "b alice 4")
        #expect(queue.next() == nil)
        #expect(first.map { queue.done($0, isRight: true, at: 0).count } == 1)
        // The users of a client take turns, too.
        #expect(name(queue.next()) == "a bob 3")
    }

    @Test
    func `many wrong passwords do not delay password checks for other users or other clients`() {
        let queue = Queue(limits())
        var refused = 0
        for number in 0..<5_000 {
            if queue.ask(question("bad", nil, "\(number)"), at: 0) == .tooMany { refused += 1 }
        }
        #expect(refused == 5_000 - PasswordQueueLimits().perUserMax)
        #expect(queue.count == PasswordQueueLimits().perUserMax)
        // A check that runs and answers that are delayed count, too.
        let first = queue.next()
        #expect(first.map { queue.done($0, isRight: false, at: 0).count } == 0)
        #expect(queue.ask(question("bad", nil, "more"), at: 1) == .tooMany)
        #expect(queue.due(at: 300).count == 1)
        #expect(queue.ask(question("bad", "alice"), at: 0) == nil)
        #expect(queue.ask(question("good", "alice"), at: 0) == nil)
        let bad = queue.next()
        #expect(name(queue.next()) == "good alice p")
        #expect(bad.map { queue.done($0, isRight: false, at: 0).count } == 0)
        #expect(name(queue.next()) == "bad alice p")
    }

    @Test func `the length of the password queue is limited per client and in total`() {
        let queue = Queue(limits { $0.totalMax = 300 })
        for number in 0..<1_000 { _ = queue.ask(question("a", "\(number)"), at: 0) }
        #expect(queue.count == PasswordQueueLimits().perClientMax)
        for number in 0..<1_000 { _ = queue.ask(question("\(number)", "u"), at: 0) }
        #expect(queue.count == 300)
        var answered = 0
        var now: Int64 = 0
        while queue.count > 0 {
            while let next = queue.next() {
                answered += queue.done(next, isRight: false, at: now).count
            }
            now += 300
            answered += queue.due(at: now).count
        }
        #expect(answered == 300)
    }

    @Test
    func `equal credentials in the password queue are checked once for all waiting requests`() {
        let queue = Queue(limits())
        for _ in 0..<6 { #expect(queue.ask(question("a", "alice"), at: 0) == nil) }
        for _ in 0..<5 { #expect(queue.ask(question("a", "alice", "wrong"), at: 0) == nil) }
        let first = queue.next()
        #expect(first.map { queue.done($0, isRight: true, at: 0).count } == 6)
        let second = queue.next()
        #expect(name(second) == "a alice wrong")
        #expect(second.map { queue.done($0, isRight: false, at: 0).count } == 0)
        #expect(queue.due(at: 300).map(\.verdict) == Array(repeating: .wrong, count: 5))
        #expect(queue.count == 0)
    }

    @Test func `a password of an unknown user is rejected even if the dummy hash matches it`() {
        let queue = Queue(limits())
        let asked = question("a", nil)
        #expect(queue.ask(asked, at: 0) == nil)
        _ = queue.next()
        #expect(queue.done(asked, isRight: true, at: 0).isEmpty)
        #expect(queue.due(at: 300).map(\.verdict) == [.wrong])
        #expect(queue.ask(asked, at: 300) == nil)
    }

    @Test func `the number of remembered correct passwords is limited`() {
        var answers = RightAnswers(limits { $0.rememberedMax = 10 })
        for number in 0..<100 { answers.insert([UInt8(number)], at: 0) }
        let known = (0..<100).filter { answers.contains([UInt8($0)], at: 1) }
        #expect(known.count == 10)
        #expect(known.contains(99))
        answers.insert([200], at: 700)
        #expect(answers.contains([200], at: 701))
        #expect(!answers.contains([99], at: 701))
    }

    @Test func `wrong passwords from one client are logged at most once per period`() {
        let queue = Queue(limits { $0.reportedMax = 2 })
        #expect(queue.isReportDue("a", at: 0))
        #expect(!queue.isReportDue("a", at: 59))
        #expect(queue.isReportDue("b", at: 59))
        #expect(queue.isReportDue("a", at: 60))
        #expect(!queue.isReportDue("c", at: 61))
        #expect(queue.isReportDue("c", at: 119))
    }
}

/// A queue that can be asked within an expectation.
private final class Queue {
    private var queue: PasswordQueue

    init(_ limits: PasswordQueueLimits) { queue = PasswordQueue(limits) }

    var count: Int { queue.count }
    var nextDueAt: Int64? { queue.nextDueAt }
    func ask(_ question: PasswordQueue.Question, at now: Int64) -> PasswordVerdict? {
        queue.ask(question, at: now)
    }
    func next() -> PasswordQueue.Question? { queue.next() }
    func done(
        _ question: PasswordQueue.Question, isRight: Bool, at now: Int64
    ) -> [PasswordQueue.Answer] {
        queue.done(question, isRight: isRight, at: now)
    }
    func due(at now: Int64) -> [PasswordQueue.Answer] { queue.due(at: now) }
    func isReportDue(_ client: String, at now: Int64) -> Bool {
        queue.isReportDue(client, at: now)
    }
}
