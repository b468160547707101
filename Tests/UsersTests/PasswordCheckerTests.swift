import Synchronization
import Testing

@testable import ProxydUsers

/// Passwords that are checked on threads.
@Suite struct `The checker of passwords` {
    private func users(_ text: String) throws -> ListenerUsers {
        var users = ListenerUsers()
        users.set(try UsersFile.users(of: Array(text.utf8)), of: "office")
        users.set(nil, of: "open")
        return users
    }

    private func checker(
        _ text: String = "alice:\(HashSamples.bcrypt)\nbob:\(HashSamples.sha512)",
        onWrong: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> PasswordChecker {
        var limits = PasswordQueueLimits()
        limits.wrongDelayNs = 1
        let checker = PasswordChecker(limits: limits, onWrong: onWrong)
        checker.use(try users(text))
        return checker
    }

    private func verdict(
        _ checker: PasswordChecker, _ user: String, _ password: String,
        at listener: String = "office"
    ) async -> PasswordVerdict {
        await withCheckedContinuation { continuation in
            checker.check(
                user: Array(user.utf8), password: Array(password.utf8), of: "192.0.2.1",
                at: listener
            ) { continuation.resume(returning: $0) }
        }
    }

    @Test func `the password checker accepts only the correct password of a user of the listener`()
        async throws
    {
        let reports = Mutex<[String]>([])
        let checker = try checker { client in reports.withLock { $0.append(client) } }
        defer { checker.stop() }
        #expect(await verdict(checker, "alice", "se:cret") == .right)
        #expect(await verdict(checker, "alice", "se:cret") == .right)
        #expect(await verdict(checker, "bob", "se:cret") == .right)
        #expect(reports.withLock { $0 } == [])
        for (user, password) in [
            ("alice", "x"), ("carol", "se:cret"), ("", ""), ("Alice", "se:cret"),
            ("alice", "se:cret\0"),
        ] { #expect(await verdict(checker, user, password) == .wrong, "\(user)") }
        #expect(await verdict(checker, "alice", "se:cret", at: "other") == .wrong)
        #expect(reports.withLock { $0 } == ["192.0.2.1"])
    }

    @Test
    func `a remembered password is rejected after its user gets another password or is removed`()
        async throws
    {
        let checker = try checker()
        defer { checker.stop() }
        #expect(await verdict(checker, "alice", "se:cret") == .right)
        let other = try #require(PasswordHash.make(of: Array("new".utf8)))
        checker.use(try users("alice:\(other.text)"))
        #expect(await verdict(checker, "alice", "se:cret") == .wrong)
        #expect(await verdict(checker, "alice", "new") == .right)
        checker.use(try users("bob:\(HashSamples.sha512)"))
        #expect(await verdict(checker, "alice", "new") == .wrong)
        checker.use(try users(""))
        #expect(checker.isRequired(by: "office"))
        #expect(await verdict(checker, "alice", "new") == .wrong)
    }

    @Test
    func `a listener that is removed by a reload still requires a password from its clients`()
        throws
    {
        let checker = try checker()
        defer { checker.stop() }
        #expect(checker.isRequired(by: "office"))
        #expect(!checker.isRequired(by: "open"))
        #expect(!checker.isRequired(by: "unknown"))
        checker.use(ListenerUsers())
        #expect(checker.isRequired(by: "office"))
        var none = ListenerUsers(others: UserTable())
        none.set(nil, of: "office")
        checker.use(none)
        #expect(!checker.isRequired(by: "office"))
        #expect(checker.isRequired(by: "unknown"))
    }

    @Test
    func `of a thousand concurrent wrong passwords, none is accepted and some exceed the limit`()
        async throws
    {
        let checker = try checker()
        defer { checker.stop() }
        let verdicts = await withTaskGroup(of: PasswordVerdict.self) { group in
            for number in 0..<1_000 {
                group.addTask { await verdict(checker, "alice", "\(number)") }
            }
            return await group.reduce(into: [PasswordVerdict]()) { $0.append($1) }
        }
        #expect(verdicts.count == 1_000)
        #expect(!verdicts.contains(.right))
        #expect(verdicts.contains(.tooMany))
        #expect(await verdict(checker, "alice", "se:cret") == .right)
    }

    @Test
    func `a stopped password checker rejects even a correct password, as if it were overloaded`()
        async throws
    {
        let checker = try checker()
        checker.stop()
        #expect(await verdict(checker, "alice", "se:cret") == .tooMany)
    }
}
