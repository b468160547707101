import ProxydPresentation
import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `The tab Messages` {
    private static let sizes = [(80, 24), (120, 40), (200, 50)]

    /// A socket whose messages are shown.
    private func opened(
        _ messages: [MessageRow], state: ExchangeState = .complete, columns: Int = 80,
        rows: Int = 24
    ) -> DetailPlayer {
        let player = DetailPlayer(
            [MessageSamples.socket(state: state)], columns: columns, rows: rows,
            messages: messages)
        player.press(Key("8"))
        return player
    }

    private func selected(_ player: DetailPlayer) -> Int64? {
        player.screenModel?.messages?.selected?.position
    }

    @Test func `the Messages tab matches its golden file at 80, 120 and 200 columns`() throws {
        for (columns, rows) in Self.sizes {
            let player = opened(MessageSamples.varied, columns: columns, rows: rows)
            try Golden.expect(player.text, "DetailMessages-\(columns)x\(rows)")
        }
    }

    @Test
    func `in a terminal of only ten rows, the Messages tab shows either the list or the message`() {
        let player = opened(MessageSamples.varied, rows: 10)
        #expect(player.text.contains("subscribe"))
        #expect(!player.text.contains("to the server"))
        player.press(.enter)
        #expect(player.text.contains("to the server"))
        player.press(.escape)
        #expect(!player.text.contains("to the server"))
        #expect(player.app.entries.count == 1)
    }

    @Test func `the Messages tab exists only for exchanges that can have messages`() {
        let player = DetailPlayer([DetailSamples.post])
        #expect(!player.text.contains("8 Messages"))
        player.press(Key("8"))
        #expect(player.text.contains("this exchange has no messages"))
        #expect(player.screenModel?.tab == .overview)
        player.press(.backtab)
        #expect(player.screenModel?.tab == .hex)
        let socket = opened([])
        #expect(socket.text.contains("8 Messages"))
        #expect(socket.text.contains("no message yet"))
        socket.press(.tab)
        #expect(socket.screenModel?.tab == .overview)
        socket.press(.backtab)
        #expect(socket.screenModel?.tab == .messages)
    }

    @Test func `messages of an exchange are shown even if no message count is stored for it`() {
        let player = DetailPlayer(
            [DetailSamples.post], messages: [MessageSamples.row(0, "unasked")])
        player.press(Key("8"))
        #expect(player.text.contains("unasked"))
    }

    @Test func `the Messages tab stays open on the next exchange and says if that has no messages`()
    {
        let player = DetailPlayer(
            [MessageSamples.socket(1), DetailSamples.hostile, MessageSamples.socket(3)],
            messages: MessageSamples.many(3))
        player.exchanges.messages.add(
            [MessageSamples.row(0, "of the third")], to: ExchangeID(rawValue: 3))
        player.press(Key("8"), Key("]"))
        #expect(player.text.contains("this exchange has no messages"))
        player.press(Key("]"))
        #expect(player.text.contains("of the third"))
        #expect(!player.text.contains("message 2"))
    }

    // MARK: Pages

    @Test(arguments: [ExchangeState.complete, .active])
    func `the Messages tab reads only the page of messages it shows, even if there are 100,000`(
        state: ExchangeState
    ) {
        let player = DetailPlayer(
            [MessageSamples.socket(state: state)], messages: MessageSamples.many(100_000))
        let former = player.exchanges.messages.pageCounts.count
        player.press(Key("8"))
        #expect(player.text.contains(state == .active ? "message 99999" : "message 0"))
        #expect(selected(player) == (state == .active ? 99_999 : 0))
        let read = player.exchanges.messages.pageCounts.dropFirst(former)
        #expect(read.reduce(0, +) <= 400, "\(read)")
    }

    @Test func `scrolling through all messages keeps only a part of them in memory`() throws {
        let player = opened(MessageSamples.many(5_000))
        for key in [Key(.pageDown), Key(.pageUp)] {
            for _ in 0..<800 {
                player.press(key)
                let rows = try #require(player.screenModel?.messages?.window.rows)
                #expect(rows.count <= RowWindow<MessageRow>.rowCountMax)
                let positions = rows.map(\.position)
                let first = try #require(positions.first)
                #expect(positions == Array(first..<first + Int64(positions.count)))
            }
            #expect(selected(player) == (key == Key(.pageDown) ? 4_999 : 0))
        }
        player.press(Key("G"))
        #expect(selected(player) == 4_999)
        player.press(Key("g"))
        #expect(selected(player) == 0)
    }

    @Test func `the list of messages skips positions that are missing`() {
        let rows = MessageSamples.many(2_000).filter { $0.position % 3 == 1 }
        let player = opened(rows)
        #expect(selected(player) == 1)
        player.press(Key("j"))
        #expect(selected(player) == 4)
        player.press(Key("G"))
        #expect(selected(player) == 1_999)
    }

    // MARK: The message

    @Test
    func `the selected message is shown with its flags, in the viewer that suits its content`() {
        let player = opened(MessageSamples.varied, rows: 40)
        #expect(player.text.contains("[json]"))
        #expect(player.text.contains("channels: [ 2 ]") || player.text.contains("channels: […]"))
        player.press(Key("j"))
        #expect(player.text.contains("18 B  15 B on the wire"))
        #expect(player.text.contains("compressed"))
        player.press(Key("j"))
        #expect(player.text.contains("no bytes"))
        player.press(Key("j"), Key("j"), Key("j"), Key("j"))
        #expect(player.text.contains("5 MB  kept 100 B"))
        #expect(player.text.contains("fragmented, cut"))
        player.press(Key("j"))
        #expect(player.text.contains("a reserved opcode (RFC 6455 §5.2)"))
        #expect(player.text.contains("invalid"))
        player.press(Key("j"))
        #expect(player.text.contains("code: 1001 going away"))
        #expect(player.text.contains("reason: the page was left"))
    }

    @Test
    func `a WebSocket close frame without a code, or with an invalid code, is shown as received`() {
        let player = opened(
            [
                MessageSamples.row(0, [], .close), MessageSamples.row(1, [0x03], .close),
                MessageSamples.close(2, 1_006), MessageSamples.close(3, 999),
            ])
        #expect(player.text.contains("no code"))
        player.press(Key("j"))
        #expect(player.text.contains("no code"))
        #expect(player.text.contains("00000000  03"))
        player.press(Key("j"))
        #expect(player.text.contains("code: 1006 abnormal closure"))
        player.press(Key("j"))
        #expect(player.text.contains("code: 999"))
    }

    @Test func `a large message is read completely when it is selected`() {
        let large = Array("{\"a\":[".utf8) + Array(repeating: 0x31, count: 300_000) + [0x5D, 0x7D]
        let player = opened([MessageSamples.row(0, large), MessageSamples.row(1, "small")])
        #expect(player.text.contains("[json]"))
        #expect(player.screenModel?.page.shown?.source.extent.byteCount == large.count)
        let listed = player.screenModel?.messages?.window.rows.first?.bytes.count
        #expect(listed == MessageScan.listedByteCount)
        player.press(Key("C"))
        #expect(player.copied.last?.bytes == large)
    }

    @Test func `Enter moves the focus to the message, and Escape moves it back to the list`() {
        let player = opened(MessageSamples.varied, rows: 40)
        player.press(.enter, Key("j"), Key("j"))
        #expect(selected(player) == 0)
        #expect(player.screenModel?.page.pager.cursor == 2)
        player.press(Key(">"))
        #expect(selected(player) == 1)
        player.press(.escape, Key("j"))
        #expect(selected(player) == 2)
    }

    @Test func `a chosen viewer is kept for messages of the same kind`() {
        let player = opened(
            [
                MessageSamples.row(0, "{\"a\":1}"), MessageSamples.row(1, [1, 2, 3], .binary),
                MessageSamples.row(2, "{\"b\":1}"),
            ])
        player.press(Key("V"))
        #expect(player.text.contains("[hex]"))
        player.press(Key("V"), Key("V"))
        #expect(player.text.contains("[json text]"))
        player.press(Key("j"))
        #expect(!player.text.contains("[json text]"))
        player.press(Key("j"))
        #expect(player.text.contains("[json text]"))
    }

    @Test func `a message can be copied, opened in the editor and saved`() {
        let player = opened(MessageSamples.varied)
        player.press(Key("C"))
        #expect(player.copied.last?.bytes == MessageSamples.varied[0].bytes)
        player.press(Key("c"))
        #expect(player.copied.last?.bytes == MessageSamples.varied[0].bytes)
        player.press(Key("E"))
        #expect(player.edited.last?.fileExtension == "json")
        player.press(Key("b"))
        #expect(player.text.contains("Save message 0"))
        #expect(player.text.contains("message-1-0.json"))
        player.press(.escape, Key("j"), Key("j"), Key("C"))
        #expect(player.text.contains("the message has no bytes here"))
        player.press(Key("b"))
        #expect(player.app.entries.count == 1)
    }

    @Test func `the mouse selects and scrolls messages, and moves the focus to the message`() {
        let player = opened(MessageSamples.many(1_000))
        mouse(player, .press, row: 6)
        #expect(selected(player) == 3)
        mouse(player, .scrollDown, row: 6)
        #expect(player.screenModel?.messages?.window.cursor.top == 3)
        mouse(player, .press, row: 14)
        #expect(player.screenModel?.isOnMessage == true)
        mouse(player, .press, row: 4)
        #expect(player.screenModel?.isOnMessage == false)
        mouse(player, .press, row: 4)
        #expect(player.screenModel?.isOnMessage == true)
    }

    private func mouse(_ player: DetailPlayer, _ kind: MouseEvent.Kind, row: Int) {
        let event = MouseEvent(
            kind: kind, button: .left, position: Position(column: 10, row: row))
        player.update(.input(.mouse(event)))
    }

    @Test func `no key crashes the Messages tab, at any terminal size`() {
        let keys: [Key] = [
            Key("j"), Key("k"), Key("G"), Key("g"), Key(" "), .control("b"), .control("d"),
            .control("u"), Key("v"), Key("x"), Key("w"), Key("l"), Key("h"), Key("-"), Key("+"),
            .enter, Key("n"), Key("N"), Key("F"), Key("P"), Key(">"), Key("<"), .control("g"),
        ]
        for (columns, rows) in [(30, 8), (80, 12), (150, 5), (150, 30), (1, 1), (0, 0)] {
            let player = opened(MessageSamples.varied, columns: columns, rows: rows)
            for key in keys + keys {
                player.press(key)
                _ = player.text
            }
            #expect(player.screenModel?.tab == .messages)
        }
    }
}
