import ProxydRules
import ProxydHTTPModel
import ProxydPresentation
import Testing

@testable import ProxydTUI
import ProxydOperations

/// Breakpoints in the interface: a list that never jumps up, and one decision a key.
struct HoldsScreenTests {
    private static let post = "POST http://a.test/pay HTTP/1.1\r\nHost: a.test\r\n\r\n"
    private static let answer = "HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n"
    private static let now = DetailSamples.started

    private func facts(
        _ hold: Int64, isRequest: Bool = true, openedBy: String? = nil
    ) -> HoldSummary {
        HoldSummary(
            hold: hold, exchangeID: hold, phase: isRequest ? "request" : "response", rule: "posts",
            method: "POST",
            url: "http://a.test/\(hold)", status: isRequest ? nil : 200,
            since: HoldsScreenTests.now - 12_000_000_000,
            deadline: HoldsScreenTests.now + 288_000_000_000, claimedBy: openedBy)
    }

    private func status(_ holds: [HoldSummary], isTaking: Bool = true) -> StatusFacts {
        var status = StatusFacts()
        status.isDaemonRunning = true
        status.isTakingHolds = isTaking
        status.holds = holds
        return status
    }

    private func player(
        _ holds: ScriptedHolds, _ held: [HoldSummary], isTaking: Bool = true
    ) -> ComposePlayer {
        let player = ComposePlayer([DetailSamples.post])
        player.hostActions.holdHandling = holds
        player.now = HoldsScreenTests.now
        player.update(.status(status(held, isTaking: isTaking)))
        return player
    }

    @Test func `the status line counts held messages, and none of them opens by itself`() {
        let player = player(ScriptedHolds(head: HoldsScreenTests.post), [])
        #expect(player.depth == 1 && player.text.contains("⏸ 0"))
        player.update(.status(status([facts(1), facts(2)])))
        #expect(player.depth == 1)
        #expect(player.text.contains("⏸ 2 (oldest 12 s)"))
        let row = player.text.split(separator: "\n").first { $0.contains("POST") }
        #expect(row?.contains("⏸") == true)
    }

    @Test
    func `pressing B turns the holding of messages on and off; H only lists held messages`() {
        let holds = ScriptedHolds(head: HoldsScreenTests.post)
        let player = player(holds, [], isTaking: false)
        player.press(Key("H"))
        #expect(player.text.contains("holding is off"))
        #expect(holds.decisions.isEmpty)
        player.press(Key("B"))
        #expect(holds.decisions == ["take true"])
        player.update(.status(status([])))
        player.press(Key("B"))
        #expect(holds.decisions == ["take true", "take false"])
    }

    @Test func `pressing s resumes a held message, d drops it, and A resumes all held messages`() {
        let holds = ScriptedHolds(head: HoldsScreenTests.post)
        let player = player(holds, [facts(1), facts(2, isRequest: false, openedBy: "bob")])
        player.press(Key("H"))
        #expect(player.text.contains("POST http://a.test/1"))
        #expect(player.text.contains("claimed by bob 200 POST http://a"))
        player.press(Key("s"), Key("j"), Key("d"), Key("A"))
        #expect(holds.decisions == ["resume 1 - -", "drop 2", "resume all"])
        #expect(player.text.contains("2 messages went on"))
    }

    /// The row of the cursor, by its hold's URL.
    private func selected(_ player: ComposePlayer) -> String? {
        let screen = player.app.drawn(now: player.now)
        let lines = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
        let row = lines.indices.first { row in
            screen[1, row].style.background == .selection
        }
        return row.flatMap { lines[$0].split(separator: " ").last.map(String.init) }
    }

    @Test
    func `the cursor stays on its held message, or moves to a neighbor when that message is gone`()
    {
        let player = player(
            ScriptedHolds(head: HoldsScreenTests.post), (1...5).map { facts($0) })
        player.press(Key("H"), Key("j"), Key("j"))
        #expect(selected(player) == "http://a.test/3")
        player.update(.status(status([2, 3, 4, 5].map { facts($0) })))
        #expect(selected(player) == "http://a.test/3")
        player.update(.status(status([2, 4, 5].map { facts($0) })))
        #expect(selected(player) == "http://a.test/4")
        player.press(Key("G"))
        player.update(.status(status([facts(2)])))
        #expect(selected(player) == "http://a.test/2")
        player.press(Key("k"), Key(.pageDown), Key(.home))
        #expect(selected(player) == "http://a.test/2")
    }

    @Test func `a click selects a held message, and a second click opens it`() {
        let player = player(
            ScriptedHolds(head: HoldsScreenTests.post), (1...3).map { facts($0) })
        player.press(Key("H"))
        player.click(column: 5, row: 1)
        player.click(column: 5, row: 3)
        #expect(selected(player) == "http://a.test/2")
        #expect(player.top is HoldsScreen)
        player.click(column: 5, row: 3)
        #expect(player.top is ComposeScreen)
    }

    @Test func `a held request is edited in the composer, and unedited parts are sent as received`()
    {
        let holds = ScriptedHolds(head: HoldsScreenTests.post, content: "amount")
        let player = player(holds, [facts(1)])
        player.press(Key("H"), .enter)
        #expect(player.text.contains("A held request; s lets it go on"))
        player.press(Key("s"))
        #expect(holds.decisions == ["resume 1 - -"])
        #expect(player.text.contains("the message goes on") && player.text.contains(" Held "))
        // Another one, with a body that is edited: the head stays as it came.
        player.press(.enter, Key("G"), .enter)
        player.type("!")
        player.press(.enter, Key("s"))
        #expect(holds.decisions.last == "resume 1 - amount!")
        // And one whose URL is edited: the body stays as it came.
        player.press(.enter, Key("j"), .enter)
        player.type("?x")
        player.press(.enter, Key("s"))
        #expect(
            holds.decisions.last == "resume 1 POST http://a.test/pay?x HTTP/1.1\nHost: a.test\n -")
    }

    @Test func `a held response is edited line by line`() {
        let holds = ScriptedHolds(head: HoldsScreenTests.answer, content: "one\ntwo")
        let player = player(holds, [facts(2, isRequest: false)])
        player.press(Key("H"), .enter)
        #expect(player.text.contains("Response held by posts"))
        player.press(Key("G"), .enter)
        player.type("!")
        player.press(.enter)
        #expect(player.text.contains("changed"))
        player.press(Key("g"), Key("j"), Key("a"))
        player.type("X-New: 1")
        player.press(.enter, Key("k"), Key("d"))
        player.press(Key("s"))
        #expect(
            holds.decisions == ["resume 2 HTTP/1.1 200 OK\r\nX-New: 1\r\n\r\n one\ntwo!"])
    }

    @Test func `the head and the body of a held response can be edited in the external editor`() {
        let holds = ScriptedHolds(head: HoldsScreenTests.answer, content: "one")
        let player = player(holds, [facts(2, isRequest: false)])
        player.press(Key("H"), .enter, Key("b"))
        player.saveInEditor("more")
        player.press(Key("e"))
        player.saveInEditor("HTTP/1.1 500 No\nX-B: c\n")
        player.press(Key("s"))
        #expect(holds.decisions == ["resume 2 HTTP/1.1 500 No\r\nX-B: c\r\n\r\n more"])
    }

    @Test func `pressing a lets the user answer a held request in place of the server`() {
        let holds = ScriptedHolds(head: HoldsScreenTests.post, content: "in")
        let player = player(holds, [facts(1)])
        player.press(Key("H"), Key("a"))
        #expect(player.text.contains("Answer to POST http://a.test/1"))
        player.press(Key("G"), Key("a"))
        player.type("out")
        player.press(.enter, Key("s"))
        #expect(
            holds.decisions
                == ["answer 1 HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n out"])
    }

    @Test func `an error while opening a held message is shown`() {
        let holds = ScriptedHolds(
            head: HoldsScreenTests.post, problem: "it is taken by alice")
        let player = player(holds, [facts(1)])
        player.press(Key("H"), .enter)
        #expect(player.text.contains("it is taken by alice"))
        #expect(player.depth == 2)
    }

    @Test
    func `if only a response's head is held, the screen says so and the response can be resumed`() {
        let holds = ScriptedHolds(head: HoldsScreenTests.answer, content: nil)
        let player = player(holds, [facts(2, isRequest: false)])
        player.press(Key("H"), .enter)
        #expect(player.text.contains("its body is not held"))
        player.press(Key("s"))
        #expect(holds.decisions == ["resume 2 - -"])
    }
}
