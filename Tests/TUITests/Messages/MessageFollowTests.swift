import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `Messages that come while they are looked at` {
    private let id = ExchangeID(rawValue: 1)

    private func opened(_ count: Int64 = 30) -> DetailPlayer {
        let player = DetailPlayer(
            [MessageSamples.socket(state: .active)], messages: MessageSamples.many(count))
        player.press(Key("8"))
        return player
    }

    private func come(_ count: Int64, _ player: DetailPlayer) {
        let last = player.exchanges.messages.last(of: id) ?? -1
        player.exchanges.messages.add(MessageSamples.many(count, from: last + 1), to: id)
        player.update(.storeChanged)
    }

    private func list(_ player: DetailPlayer) -> MessageList? { player.screenModel?.messages }

    @Test func `while the Messages tab follows new messages, it shows them immediately`() {
        let player = opened()
        #expect(player.text.contains("follow"))
        come(1, player)
        #expect(list(player)?.selected?.position == 30)
        #expect(player.text.contains("message 30"))
        #expect(player.text.contains("#30, last #30"))
        come(5_000, player)
        #expect(list(player)?.selected?.position == 5_030)
        #expect((list(player)?.window.rows.count ?? 0) <= RowWindow<MessageRow>.rowCountMax)
    }

    @Test func `the first message of a WebSocket is selected and shown when it arrives`() {
        let player = opened(0)
        #expect(player.text.contains("no message yet"))
        come(1, player)
        #expect(list(player)?.selected?.position == 0)
        #expect(player.screenModel?.shownMessage?.row.position == 0)
    }

    @Test
    func `moving up in the Messages tab pauses following, and new messages are counted meanwhile`()
    {
        let player = opened()
        player.press(Key("k"))
        #expect(list(player)?.isFollowing == false)
        come(7, player)
        #expect(list(player)?.selected?.position == 28)
        #expect(player.text.contains("+7 new"))
        player.press(Key("F"))
        #expect(list(player)?.isFollowing == true)
        #expect(list(player)?.selected?.position == 36)
        #expect(!player.text.contains("new"))
        player.press(Key("F"))
        come(1, player)
        #expect(list(player)?.selected?.position == 36)
    }

    @Test func `messages that arrive while the first one is selected do not accumulate in memory`()
    {
        let player = opened(10)
        player.press(Key("g"))
        for _ in 0..<8 { come(500, player) }
        #expect((list(player)?.window.rows.count ?? 0) <= RowWindow<MessageRow>.rowCountMax)
        #expect(list(player)?.selected?.position == 0)
        #expect(list(player)?.last == 4_009)
        for _ in 0..<700 { player.press(Key(.pageDown)) }
        #expect(list(player)?.selected?.position == 4_009)
    }

    @Test func `the Messages tab shows only new messages that match its filter`() {
        let player = opened()
        player.press(Key("f"))
        player.type("dir=to_server")
        player.press(.enter)
        #expect(list(player)?.selected?.position == 28)
        come(4, player)
        #expect(list(player)?.selected?.position == 32)
        #expect(player.text.contains("17 matches"))
    }

    @Test func `an update of the Messages tab reads only new messages from the store`() {
        let player = opened(20_000)
        player.press(Key("P"))
        let former = player.exchanges.messages.pageCounts.count
        come(3, player)
        let read = player.exchanges.messages.pageCounts.dropFirst(former)
        #expect(read.reduce(0, +) <= 4, "\(read)")
    }

    @Test
    func `the Messages tab of a completed exchange opens at the first message, without following`()
    {
        let player = DetailPlayer(
            [MessageSamples.socket()], messages: MessageSamples.many(30))
        player.press(Key("8"))
        #expect(list(player)?.isFollowing == false)
        #expect(list(player)?.selected?.position == 0)
        #expect(player.text.contains("#0, last #29\n"))
    }
}
