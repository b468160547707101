import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

@Suite struct `Filtering and searching messages` {
    private func opened(_ messages: [MessageRow], rows: Int = 24) -> DetailPlayer {
        let player = DetailPlayer([MessageSamples.socket()], rows: rows, messages: messages)
        player.press(Key("8"))
        return player
    }

    private func filter(_ player: DetailPlayer, _ text: String) {
        player.press(Key("f"))
        player.press(.control("u"))
        player.type(text)
        player.press(.enter)
    }

    private func list(_ player: DetailPlayer) -> MessageList? { player.screenModel?.messages }
    private func selected(_ player: DetailPlayer) -> Int64? { list(player)?.selected?.position }
    private func shown(_ player: DetailPlayer) -> [Int64] {
        list(player)?.window.rows.map(\.position) ?? []
    }

    @Test func `a message filter lists the matching messages and shows how many match`() {
        let player = opened(MessageSamples.varied)
        filter(player, "kind=text dir=to_server")
        #expect(shown(player) == [0, 5])
        #expect(player.text.contains("kind=text dir=to_server  2 matches"))
        filter(player, "bytes>1M")
        #expect(shown(player) == [6])
        filter(player, "trades")
        #expect(shown(player) == [0])
        player.press(.control("u"))
        #expect(shown(player).count == MessageSamples.varied.count)
    }

    @Test func `a message filter with a mistake is not applied, and the mistake is shown`() {
        let player = opened(MessageSamples.varied)
        player.press(Key("f"))
        player.type("bytes>much")
        #expect(player.text.contains("^ "))
        player.press(.enter)
        #expect(player.app.entries.count == 2)
        player.press(.escape)
        #expect(list(player)?.matcher.isFiltered == false)
    }

    @Test
    func `clearing a message filter keeps the selected message at its position on the screen`()
        throws
    {
        let player = opened(MessageSamples.many(5_000))
        filter(player, "message 43")
        for _ in 0..<20 { player.press(Key("j")) }
        let message = try #require(selected(player))
        #expect(message > 400)
        let row = try #require(list(player)?.window.distance)
        player.press(.control("u"))
        #expect(selected(player) == message)
        #expect(shown(player).contains(message - 1))
        #expect(shown(player).contains(message + 1))
        #expect(list(player)?.window.distance == row)
    }

    @Test
    func `setting a message filter selects the match nearest to the previously selected message`() {
        let player = opened(MessageSamples.many(3_000))
        for _ in 0..<1_500 { player.press(Key("j")) }
        filter(player, "\"message 17\"")
        #expect(selected(player) == 1_700)
        player.press(.control("u"))
        for _ in 0..<900 { player.press(Key("j")) }
        filter(player, "\"message 17\"")
        #expect(selected(player) == 1_799)
    }

    @Test func `clearing a message filter that matches nothing restores the previous selection`() {
        let player = opened(MessageSamples.many(3_000))
        for _ in 0..<700 { player.press(Key("j")) }
        filter(player, "nowhere")
        #expect(player.text.contains("no message matches"))
        #expect(player.text.contains("0 matches"))
        #expect(!player.text.contains("─ #"))
        player.press(.control("u"))
        #expect(selected(player) == 700)
    }

    @Test func `filters and searches of messages cover the whole of a long message`() {
        let long = Array(repeating: UInt8(ascii: "."), count: 200_000) + Array("needle".utf8)
        let player = opened(
            MessageSamples.many(600) + [MessageSamples.row(600, long)]
                + MessageSamples.many(600, from: 601))
        filter(player, "needle")
        #expect(shown(player) == [600])
        player.press(.control("u"), Key("g"), Key("/"))
        player.type("needle")
        player.press(.enter)
        #expect(selected(player) == 600)
        #expect(player.text.contains("at byte 200000"))
    }

    @Test func `pressing P hides pings and pongs, and they stay hidden in the next exchange`() {
        let player = DetailPlayer(
            [MessageSamples.socket(1), MessageSamples.socket(2)],
            messages: MessageSamples.varied)
        player.exchanges.messages.add(MessageSamples.varied, to: ExchangeID(rawValue: 2))
        player.press(Key("8"), Key("j"), Key("P"))
        #expect(shown(player) == [0, 1, 4, 5, 6, 7, 8])
        #expect(selected(player) == 1)
        #expect(player.text.contains("pings hidden"))
        player.press(Key("]"))
        #expect(shown(player) == [0, 1, 4, 5, 6, 7, 8])
        player.press(Key("P"))
        #expect(shown(player) == Array(0...8))
    }

    @Test
    func `if a WebSocket has only pings and pongs and they are hidden, the Messages tab says so`() {
        let player = opened((0..<2_000).map { MessageSamples.row($0, [], .ping) })
        player.press(Key("P"))
        #expect(player.text.contains("only pings and pongs; P shows them"))
        player.press(Key("P"))
        #expect(selected(player) == 0)
    }

    @Test func `the Messages tab says that matches are still being counted`() {
        let player = opened(MessageSamples.many(5_000))
        player.heldSlots = [MessageList.countSlot]
        filter(player, "message")
        #expect(player.text.contains("counting…"))
        player.runHeld()
        #expect(player.text.contains("5,000 matches"))
    }

    @Test func `Ctrl-G cancels the reading of messages that match a filter`() {
        let player = opened(MessageSamples.many(100))
        player.heldSlots = ["messages.page"]
        filter(player, "message 7")
        #expect(player.text.contains("reading…"))
        player.press(.control("g"))
        #expect(player.cancelledSlots.contains("messages.page"))
        #expect(player.text.contains("reading was cancelled"))
        player.heldSlots = []
        player.press(.control("u"))
        #expect(shown(player).count == 100)
    }

    // MARK: Searching

    @Test func `a search in messages goes from message to message and wraps around`() {
        let player = opened(MessageSamples.many(3_000), rows: 40)
        player.press(Key("/"))
        #expect(player.text.contains("in messages"))
        player.type("message 299")
        player.press(.enter)
        #expect(selected(player) == 299)
        player.type("n")
        #expect(selected(player) == 2_990)
        for _ in 0..<9 { player.type("n") }
        #expect(selected(player) == 2_999)
        player.type("n")
        #expect(selected(player) == 299)
        player.type("N")
        #expect(selected(player) == 2_999)
    }

    @Test func `a search for text that no message contains reports that there is no match`() {
        let player = opened(MessageSamples.many(100))
        player.press(Key("/"))
        player.type("absent")
        player.press(.enter)
        #expect(player.text.contains("“absent” is not in any message"))
    }

    @Test func `a search covers only the open message while the message has the focus`() {
        let player = opened([
            MessageSamples.row(0, "one\ntwo\nthree two"), MessageSamples.row(1, "two"),
        ])
        player.press(.enter, Key("/"))
        #expect(player.text.contains("in this message"))
        player.type("two")
        player.press(.enter)
        #expect(player.text.contains("at byte 4"))
        player.type("n")
        #expect(player.text.contains("at byte 14"))
        #expect(selected(player) == 0)
    }

    @Test func `a search started on another tab also finds text in the messages of the exchange`() {
        let player = DetailPlayer(
            [MessageSamples.socket()], messages: MessageSamples.many(50))
        player.press(Key("/"))
        #expect(player.text.contains("heads, bodies and messages"))
        player.type("message 42")
        player.press(.enter)
        #expect(player.screenModel?.tab == .messages)
        #expect(selected(player) == 42)
    }

    // MARK: Works

    private func context(
        _ exchanges: ScriptedExchanges, isCancelled: @escaping @Sendable () -> Bool
    ) -> WorkContext {
        WorkContext(
            rows: exchanges, exchanges: exchanges, hostActions: HostActions(), now: 0,
            isCancelled: isCancelled)
    }

    @Test func `a cancelled scan of 20,000 messages reads fewer than 1,000 of them`() throws {
        let exchanges = ScriptedExchanges(
            [MessageSamples.socket()], messages: MessageSamples.many(20_000))
        let matcher = MessageMatcher(try .parse("nowhere"), hidesPings: false)
        let scan = MessageScan(
            exchange: ExchangeID(rawValue: 1), matcher: matcher,
            context: context(exchanges) { true })
        #expect(throws: WorkCancelled.self) { try scan.slice(from: .oldest, count: 10) }
        #expect(throws: WorkCancelled.self) { try scan.count { _ in } }
        #expect(exchanges.messages.pageCounts.reduce(0, +) < 1_000)
    }

    @Test func `filtering messages reads them completely only if the filter tests their text`()
        throws
    {
        let large = MessageSamples.row(0, Array(repeating: 0x61, count: 100_000))
        let exchanges = ScriptedExchanges([MessageSamples.socket()], messages: [large])
        let id = ExchangeID(rawValue: 1)
        let free = context(exchanges) { false }
        let byKind = MessageMatcher(try .parse("kind=text bytes>10"), hidesPings: false)
        let found = try MessageScan(exchange: id, matcher: byKind, context: free).slice(
            from: .newest, count: 10)
        #expect(found.rows.map(\.bytes.count) == [MessageScan.listedByteCount])
        #expect(exchanges.messages.pageCounts.count == 1)
        let byText = MessageMatcher(try .parse("a"), hidesPings: false)
        _ = try MessageScan(exchange: id, matcher: byText, context: free).slice(
            from: .newest, count: 10)
        #expect(exchanges.messages.pageCounts.count == 3)
    }
}
