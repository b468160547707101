import ProxydFilter
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Testing

struct HoldLedgerTests {
    private let alice = HoldClient(rawValue: 1)
    private let bob = HoldClient(rawValue: 2)
    private let second: Int64 = 1_000_000_000

    private func message(_ options: String = "", body: String = "a=1") throws -> HeldMessage {
        try HeldExchange.request(
            "POST http://a.test/pay HTTP/1.1\r\nHost: a.test\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", options)
    }

    /// A ledger with an interface, Alice's, and what she holds.
    private func ledger(
        _ messages: HeldMessage..., limits: HoldLedger.Limits = .init()
    ) throws -> HoldLedger {
        var ledger = HoldLedger(limits)
        ledger.subscribe(alice)
        for message in messages { _ = try ledger.hold(message, now: 0, wallNow: 0) }
        return ledger
    }

    private let first = HoldID(rawValue: 1)

    /// How the holds ended since it was asked last, as the record has it.
    private func ends(_ ledger: inout HoldLedger) -> [String] {
        ledger.takeEffects().ended.map(\.end.detail)
    }

    private func ids(_ ledger: HoldLedger) -> [Int64] {
        ledger.list(now: 0, wallNow: 0).map(\.id.rawValue)
    }

    @Test func `a message is held only if a user interface is connected that can decide about it`()
        throws
    {
        var ledger = HoldLedger()
        let message = try message()
        #expect(throws: NotHeld.noOneToAsk) {
            _ = try ledger.hold(message, now: 0, wallNow: 0)
        }
    }

    @Test func `the total size of the edits that clients write for held messages is limited`()
        throws
    {
        var limits = HoldLedger.Limits()
        limits.byteCountMax = 10
        var ledger = try ledger(try message(), try message(), limits: limits)
        try ledger.write(.body, of: first, at: 0, [1, 2, 3, 4, 5, 6], by: alice)
        let second = HoldID(rawValue: 2)
        #expect(throws: HoldRefusal.tooMuch) {
            try ledger.write(.body, of: second, at: 0, [1, 2, 3, 4, 5], by: bob)
        }
        ledger.discard(first, by: alice)
        try ledger.write(.body, of: second, at: 0, [1, 2, 3, 4, 5], by: bob)
    }

    @Test func `a long name of the client that claims a held message is truncated`() throws {
        var ledger = try ledger(try message())
        try ledger.claim(first, by: alice, named: String(repeating: "a", count: 5_000))
        #expect(ledger.list(now: 0, wallNow: 0).first?.claimedBy?.count == 100)
    }

    @Test
    func `a held message that one client has claimed cannot be claimed or decided by another`()
        throws
    {
        var ledger = try ledger(try message())
        try ledger.claim(first, by: alice, named: "alice")
        #expect(throws: HoldRefusal.taken(by: "alice")) {
            try ledger.claim(first, by: bob, named: "bob")
        }
        #expect(throws: HoldRefusal.taken(by: "alice")) { try ledger.resume(first, by: bob) }
        #expect(throws: HoldRefusal.taken(by: "alice")) { try ledger.drop(first, by: bob) }
        #expect(ledger.resumeAll(nil, by: bob) == 0)
        try ledger.resume(first, by: alice)
        #expect(ends(&ledger) == ["unchanged"])
        #expect(throws: HoldRefusal.gone("it was already decided")) {
            try ledger.resume(first, by: alice)
        }
        #expect(throws: HoldRefusal.unknown) {
            try ledger.resume(HoldID(rawValue: 9), by: alice)
        }
    }

    @Test
    func `when the UI that claimed a held message disconnects, the message stays held, unclaimed`()
        throws
    {
        var ledger = try ledger(try message())
        ledger.subscribe(bob)
        try ledger.claim(first, by: alice, named: "alice")
        try ledger.write(.body, of: first, at: 0, [1], by: alice)
        ledger.leave(alice, now: 0)
        #expect(ids(ledger) == [1])
        try ledger.claim(first, by: bob, named: "bob")
        // What Alice had written is not what Bob sends.
        #expect(try ledger.draft(first, by: bob).content(isEdited: true, actions: []) == nil)
        ledger.leave(bob, now: 5)
        #expect(ledger.takeEffects().expiresAfterNs == 10 * second)
    }

    @Test func `held messages are sent or dropped 10 s after the last user interface disconnects`()
        throws
    {
        var ledger = try ledger(try message(), try message(", otherwise = \"drop\""))
        ledger.leave(alice, now: 0)
        #expect(!ledger.isTaking)
        ledger.expire(now: 10 * second - 1)
        #expect(ids(ledger) == [1, 2])
        ledger.expire(now: 10 * second)
        #expect(
            ends(&ledger)
                == ["no one left to ask, unchanged", "no one left to ask, dropped"])
    }

    @Test
    func `a reserved message stays held until its deadline after the last UI disconnects`() throws {
        var ledger = try ledger(try message(), try message())
        let status = try ledger.reserve(
            first, forNs: 60 * second, now: 5 * second, wallNow: 1_000 * second)
        #expect(status.deadline == 1_060 * second)
        #expect(ledger.takeEffects().expiresAfterNs == 60 * second)
        ledger.leave(alice, now: 6 * second)
        #expect(
            ledger.list(now: 7 * second, wallNow: 0).map(\.deadline) == [58 * second, 9 * second])
        ledger.expire(now: 16 * second)
        #expect(ids(ledger) == [1] && ends(&ledger) == ["no one left to ask, unchanged"])
        ledger.expire(now: 65 * second)
        #expect(ends(&ledger) == ["no one left to ask, unchanged"])
        #expect(throws: HoldRefusal.self) {
            _ = try ledger.reserve(first, forNs: second, now: 0, wallNow: 0)
        }
    }

    @Test func `reserving a message does not shorten the time that an open interface has for it`()
        throws
    {
        var ledger = try ledger(try message())
        _ = try ledger.reserve(first, forNs: 60 * second, now: 0, wallNow: 0)
        let again = try ledger.reserve(first, forNs: second, now: 0, wallNow: 0)
        #expect(again.deadline == 60 * second)
        ledger.expire(now: 61 * second)
        #expect(ledger.list(now: 0, wallNow: 0).map(\.deadline) == [300 * second])
    }

    @Test func `a message is never reserved for longer than its rule holds messages`() throws {
        var ledger = try ledger(try message(", timeout_s = 20"))
        let status = try ledger.reserve(first, forNs: 60 * second, now: 0, wallNow: 0)
        #expect(status.deadline == 20 * second)
    }

    @Test
    func `messages stay held if a user interface connects soon after the last one disconnected`()
        throws
    {
        var ledger = try ledger(try message())
        ledger.leave(alice, now: 0)
        ledger.subscribe(bob)
        ledger.expire(now: 11 * second)
        #expect(ids(ledger) == [1])
    }

    @Test
    func `claiming a held message without subscribing does not make a client a user interface`()
        throws
    {
        var ledger = try ledger(try message())
        try ledger.claim(first, by: bob, named: "bob")
        ledger.leave(bob, now: 0)
        #expect(ledger.takeEffects().expiresAfterNs == nil && ledger.isTaking)
    }

    @Test func `a held message that times out is forwarded or dropped as its rule says`() throws {
        var ledger = try ledger(
            try message(", timeout_s = 2"), try message(", timeout_s = 2, otherwise = \"drop\""),
            try message())
        ledger.expire(now: 2 * second - 1)
        #expect(ids(ledger) == [1, 2, 3])
        ledger.expire(now: 2 * second)
        #expect(ends(&ledger) == ["timed out, unchanged", "timed out, dropped"])
        #expect(throws: HoldRefusal.gone("it timed out")) { try ledger.resume(first, by: alice) }
        #expect(ids(ledger) == [3])
        ledger.expire(now: 300 * second)
        #expect(ends(&ledger) == ["timed out, unchanged"])
    }

    @Test func `held messages are limited in number and in bytes`() throws {
        var limits = HoldLedger.Limits()
        limits.countMax = 2
        limits.byteCountMax = 5
        var ledger = try ledger(try message(), limits: limits)
        let more = try message()
        #expect(throws: NotHeld.tooMuch) { _ = try ledger.hold(more, now: 0, wallNow: 0) }
        let empty = try message(body: "")
        _ = try ledger.hold(empty, now: 0, wallNow: 0)
        #expect(throws: NotHeld.tooMany) { _ = try ledger.hold(empty, now: 0, wallNow: 0) }
        try ledger.resume(first, by: alice)
        _ = try ledger.hold(more, now: 0, wallNow: 0)
        #expect(ids(ledger) == [2, 3])
    }

    @Test func `a hold ends when the client whose message is held disconnects`() throws {
        var ledger = try ledger(try message())
        ledger.clientGone(first)
        #expect(ends(&ledger) == ["client gone"])
        #expect(throws: HoldRefusal.gone("the client is gone")) {
            try ledger.resume(first, by: alice)
        }
    }

    @Test func `held messages are released when the rule that held them is disabled`() throws {
        var ledger = try ledger(try message())
        let same = "[[rule]]\nname = \"r\"\nrequest = [{ hold = true }]\n"
        ledger.keepOnly(heldBy: try RulesFile.read(same, file: "r", now: 0))
        #expect(ids(ledger) == [1])
        let off = "[[rule]]\nname = \"r\"\nenabled = false\nrequest = [{ hold = true }]\n"
        ledger.keepOnly(heldBy: try RulesFile.read(off, file: "r", now: 0))
        #expect(ends(&ledger) == ["released"])
    }

    @Test func `a message is not held by a rule that was removed after its exchange began`()
        throws
    {
        var ledger = try ledger()
        ledger.keepOnly(heldBy: .none)
        let message = try message()
        #expect(throws: NotHeld.ruleGone) { try ledger.hold(message, now: 0, wallNow: 0) }
    }

    @Test func `a proxy that shuts down releases held messages and holds no more`() throws {
        var ledger = try ledger(try message())
        ledger.stop()
        #expect(ends(&ledger) == ["released at shutdown"])
        let late = try message()
        #expect(throws: NotHeld.noOneToAsk) { _ = try ledger.hold(late, now: 0, wallNow: 0) }
    }

    @Test func `a filter can select which held messages are listed or resumed`() throws {
        var ledger = try ledger(try message(), try message(body: "needle"))
        let filter = try Filter.parse("reqbody:needle method=POST")
        #expect(ledger.list(filter, now: 0, wallNow: 0).map(\.id.rawValue) == [2])
        #expect(ledger.resumeAll(filter, by: alice) == 1)
        #expect(ids(ledger) == [1])
    }

    @Test func `an edit of a held message must be written in sequence and within the size limits`()
        throws
    {
        var ledger = try ledger(try message())
        try ledger.write(.body, of: first, at: 0, Array("ab".utf8), by: alice)
        #expect(throws: HoldRefusal.notInSequence) {
            try ledger.write(.body, of: first, at: 3, [1], by: alice)
        }
        #expect(throws: HoldRefusal.tooLarge) {
            try ledger.write(
                .head, of: first, at: 0, [UInt8](repeating: 65, count: 300_000), by: alice)
        }
        try ledger.write(.body, of: first, at: 2, Array("c".utf8), by: alice)
        let draft = try ledger.draft(first, by: alice)
        guard
            case .request(let request, let body)? = try draft.content(
                isEdited: true, actions: [])
        else { throw RuleExchange.NotARequest() }
        #expect(request.body == .exactly(3))
        guard case .whole(let bytes) = body else { throw RuleExchange.NotARequest() }
        #expect(bytes == Array("abc".utf8))
    }

    @Test
    func `a client's edit of a held message is private and is lost when the client disconnects`()
        throws
    {
        var ledger = try ledger(try message())
        try ledger.write(.body, of: first, at: 0, Array("mine".utf8), by: bob)
        #expect(try ledger.draft(first, by: alice).content(isEdited: true, actions: []) == nil)
        ledger.leave(bob, now: 0)
        #expect(try ledger.draft(first, by: bob).content(isEdited: true, actions: []) == nil)
        try ledger.write(.body, of: first, at: 0, Array("mine".utf8), by: bob)
        ledger.discard(first, by: bob)
        #expect(try ledger.draft(first, by: bob).content(isEdited: true, actions: []) == nil)
    }

    @Test func `messages that match no connected user interface's filter are not held`() throws {
        var ledger = HoldLedger()
        ledger.subscribe(alice, try Filter.parse("reqbody:needle"))
        let other = try message()
        #expect(throws: NotHeld.noOneToAsk) {
            _ = try ledger.hold(other, now: 0, wallNow: 0)
        }
        _ = try ledger.hold(try message(body: "needle"), now: 0, wallNow: 0)
        ledger.subscribe(bob)
        _ = try ledger.hold(other, now: 0, wallNow: 0)
        #expect(ids(ledger) == [1, 2])
    }

    @Test
    func `a response written for a held request loses its Content-Length and Connection fields`()
        throws
    {
        var ledger = try ledger(try message())
        let head = "HTTP/1.1 200 OK\nContent-Length: 7\nConnection: close\nX-A: b\n\n"
        try ledger.write(.head, of: first, at: 0, Array(head.utf8), by: alice)
        let answer = try ledger.draft(first, by: alice).answer()
        #expect(answer.fields.pairs.map(\.name) == ["X-A"])
    }

    @Test
    func `user interfaces are notified, in order, when a message is held, claimed and dropped`()
        throws
    {
        var ledger = try ledger(try message())
        try ledger.claim(first, by: bob, named: "bob")
        ledger.leave(bob, now: 0)
        try ledger.drop(first, by: alice)
        let news = ledger.takeEffects().news.map { news in
            switch news {
            case .held(let facts): "held \(facts.id.rawValue) by \(facts.message.rule)"
            case .claimed(let id, let name): "claimed \(id.rawValue) \(name ?? "-")"
            case .gone(let id, let reason): "gone \(id.rawValue) \(reason)"
            }
        }
        #expect(news == ["held 1 by r", "claimed 1 bob", "claimed 1 -", "gone 1 dropped"])
    }
}
