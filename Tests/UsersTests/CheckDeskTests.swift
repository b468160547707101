import Synchronization
import Testing

@testable import ProxydUsers

/// Who is checked next, and what is answered when.
@Suite struct `The desk of password checks` {
    private let hash: PasswordHash

    init() throws { hash = try PasswordHash(HashSamples.bcrypt) }

    /// The questions by the names of their passwords.
    private func question(
        _ client: String, _ user: String?, _ password: String = "p"
    ) -> CheckDesk.Question {
        CheckDesk.Question(
            client: client, user: Array((user ?? "-").utf8), isKnown: user != nil,
            password: Array(password.utf8), hash: hash,
            digest: Array("\(user ?? "-"):\(password)".utf8), answer: { _ in })
    }

    private func name(_ question: CheckDesk.Question?) -> String? {
        question.map {
            "\($0.client) \(String(decoding: $0.user, as: UTF8.self)) "
                + String(decoding: $0.password, as: UTF8.self)
        }
    }

    private func limits(_ change: (inout CheckLimits) -> Void = { _ in }) -> CheckLimits {
        var limits = CheckLimits()
        limits.wrongDelayNs = 300
        limits.rememberedNs = 600
        limits.reportNs = 60
        change(&limits)
        return limits
    }

    @Test func `a correct password is remembered by the password queue for a limited time`() {
        let desk = Desk(limits())
        let asked = question("a", "alice")
        #expect(desk.ask(asked, at: 0) == nil)
        let next = desk.next()
        #expect(name(next) == "a alice p")
        #expect(desk.done(asked, isRight: true, at: 100).map(\.verdict) == [.right])
        #expect(desk.count == 0)
        #expect(desk.ask(question("b", "alice"), at: 699) == .right)
        #expect(desk.ask(question("b", "alice", "other"), at: 699) == nil)
        #expect(desk.ask(question("c", "alice"), at: 700) == nil)
    }

    @Test
    func `a wrong password gets a delayed response before the user's next password is checked`() {
        let desk = Desk(limits())
        #expect(desk.ask(question("a", "alice", "1"), at: 0) == nil)
        #expect(desk.ask(question("a", "alice", "2"), at: 0) == nil)
        let first = desk.next()
        #expect(desk.next() == nil)
        #expect(first.map { desk.done($0, isRight: false, at: 50).count } == 0)
        #expect(desk.next() == nil)
        #expect(desk.nextDueAt == 350)
        #expect(desk.due(at: 349).isEmpty)
        #expect(desk.due(at: 350).map { name($0.question) } == ["a alice 1"])
        #expect(name(desk.next()) == "a alice 2")
    }

    @Test
    func `the password queue checks one password per client at a time, with clients taking turns`()
    {
        let desk = Desk(limits())
        for asked in [
            question("a", "alice", "1"), question("a", "alice", "2"), question("a", "bob", "3"),
            question("b", "alice", "4"),
        ] { #expect(desk.ask(asked, at: 0) == nil) }
        let (first, second) = (desk.next(), desk.next())
        #expect(name(first) == "a alice 1")
        #expect(name(second) == "b alice 4")
        #expect(desk.next() == nil)
        #expect(first.map { desk.done($0, isRight: true, at: 0).count } == 1)
        // The users of a client take turns, too.
        #expect(name(desk.next()) == "a bob 3")
    }

    @Test func `many wrong passwords delay neither the checks of other users nor of other clients`()
    {
        let desk = Desk(limits())
        var refused = 0
        for number in 0..<5_000 {
            if desk.ask(question("bad", nil, "\(number)"), at: 0) == .tooMany { refused += 1 }
        }
        #expect(refused == 5_000 - CheckLimits().perUserMax)
        #expect(desk.count == CheckLimits().perUserMax)
        // A check that runs and answers that are delayed count, too.
        let first = desk.next()
        #expect(first.map { desk.done($0, isRight: false, at: 0).count } == 0)
        #expect(desk.ask(question("bad", nil, "more"), at: 1) == .tooMany)
        #expect(desk.due(at: 300).count == 1)
        #expect(desk.ask(question("bad", "alice"), at: 0) == nil)
        #expect(desk.ask(question("good", "alice"), at: 0) == nil)
        let bad = desk.next()
        #expect(name(desk.next()) == "good alice p")
        #expect(bad.map { desk.done($0, isRight: false, at: 0).count } == 0)
        #expect(name(desk.next()) == "bad alice p")
    }

    @Test func `the length of the password queue is limited per client and in total`() {
        let desk = Desk(limits { $0.totalMax = 300 })
        for number in 0..<1_000 { _ = desk.ask(question("a", "\(number)"), at: 0) }
        #expect(desk.count == CheckLimits().perClientMax)
        for number in 0..<1_000 { _ = desk.ask(question("\(number)", "u"), at: 0) }
        #expect(desk.count == 300)
        var answered = 0
        var now: Int64 = 0
        while desk.count > 0 {
            while let next = desk.next() {
                answered += desk.done(next, isRight: false, at: now).count
            }
            now += 300
            answered += desk.due(at: now).count
        }
        #expect(answered == 300)
    }

    @Test
    func `equal credentials in the password queue are checked once for all waiting requests`() {
        let desk = Desk(limits())
        for _ in 0..<6 { #expect(desk.ask(question("a", "alice"), at: 0) == nil) }
        for _ in 0..<5 { #expect(desk.ask(question("a", "alice", "wrong"), at: 0) == nil) }
        let first = desk.next()
        #expect(first.map { desk.done($0, isRight: true, at: 0).count } == 6)
        let second = desk.next()
        #expect(name(second) == "a alice wrong")
        #expect(second.map { desk.done($0, isRight: false, at: 0).count } == 0)
        #expect(desk.due(at: 300).map(\.verdict) == Array(repeating: .wrong, count: 5))
        #expect(desk.count == 0)
    }

    @Test func `a password of an unknown user is rejected even if the dummy hash matches it`() {
        let desk = Desk(limits())
        let asked = question("a", nil)
        #expect(desk.ask(asked, at: 0) == nil)
        _ = desk.next()
        #expect(desk.done(asked, isRight: true, at: 0).isEmpty)
        #expect(desk.due(at: 300).map(\.verdict) == [.wrong])
        #expect(desk.ask(asked, at: 300) == nil)
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
        let desk = Desk(limits { $0.reportedMax = 2 })
        #expect(desk.isReportDue("a", at: 0))
        #expect(!desk.isReportDue("a", at: 59))
        #expect(desk.isReportDue("b", at: 59))
        #expect(desk.isReportDue("a", at: 60))
        #expect(!desk.isReportDue("c", at: 61))
        #expect(desk.isReportDue("c", at: 119))
    }
}

/// A desk that can be asked within an expectation.
private final class Desk {
    private var desk: CheckDesk

    init(_ limits: CheckLimits) { desk = CheckDesk(limits) }

    var count: Int { desk.count }
    var nextDueAt: Int64? { desk.nextDueAt }
    func ask(_ question: CheckDesk.Question, at now: Int64) -> PasswordVerdict? {
        desk.ask(question, at: now)
    }
    func next() -> CheckDesk.Question? { desk.next() }
    func done(
        _ question: CheckDesk.Question, isRight: Bool, at now: Int64
    ) -> [CheckDesk.Answer] {
        desk.done(question, isRight: isRight, at: now)
    }
    func due(at now: Int64) -> [CheckDesk.Answer] { desk.due(at: now) }
    func isReportDue(_ client: String, at now: Int64) -> Bool {
        desk.isReportDue(client, at: now)
    }
}
