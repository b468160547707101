import ProxydHTTPModel
import Testing

@testable import ProxydTUI

/// From 160 columns on, an exchange on a screen of its own has both messages beside each other.
@Suite struct `Request beside response` {
    private static let lines = (1...200).map { "line \($0)" }.joined(separator: "\n")

    private static func exchange(
        _ requestBody: String = lines, _ body: String = lines, state: ExchangeState = .complete
    ) -> Exchange {
        DetailSamples.exchange(
            1, .post, "/", [(name: "Content-Type", value: "text/plain")], requestBody,
            [(name: "Content-Type", value: "text/plain")], Array(body.utf8), state: state)
    }

    private func player(_ exchange: Exchange = exchange(), columns: Int = 160) -> DetailPlayer {
        DetailPlayer([exchange], columns: columns, rows: 30)
    }

    /// The halves of the screen, row by row.
    private func halves(_ player: DetailPlayer) -> (left: [String], right: [String]) {
        let rows = player.content.map { $0.split(separator: "│", maxSplits: 1).map(String.init) }
        return (rows.compactMap(\.first), rows.compactMap { $0.count > 1 ? $0[1] : nil })
    }

    @Test(arguments: [(159, false), (160, true)])
    func `both messages are shown from 160 columns on`(_ columns: Int, _ isBoth: Bool) {
        let player = player(columns: columns)
        for (tab, other) in [("2", "HTTP/1.1 200 Fine"), ("3", "POST / HTTP/1.1")] {
            player.type(tab)
            #expect(player.text.contains(other) == isBoth)
        }
        player.type("1")
        #expect(!player.text.contains("│"))
    }

    @Test func `Tab moves the focus from the request to the response, and keys scroll what has it`()
    {
        let player = player()
        player.type("2G")
        #expect(halves(player).left.last?.contains("line 200") == true)
        #expect(halves(player).right.first?.contains("HTTP/1.1 200") == true)
        player.press(.tab)
        player.type("G")
        #expect(halves(player).right.last?.contains("line 200") == true)
        player.press(.backtab)
        player.type("g")
        #expect(halves(player).left.first?.contains("POST /") == true)
        #expect(halves(player).right.last?.contains("line 200") == true)
        player.press(.tab, .tab)
        #expect(player.screenModel?.tab == .cookies)
    }

    @Test func `a click or the wheel on the other message moves the focus there`() {
        let player = player()
        player.type("2")
        func mouse(_ kind: MouseEvent.Kind, _ column: Int) {
            player.update(
                .input(
                    .mouse(
                        MouseEvent(
                            kind: kind, button: .left, position: Position(column: column, row: 9)))
                ))
        }
        mouse(.press, 120)
        #expect(player.screenModel?.tab == .response)
        #expect(player.screenModel?.page(.response).pager.cursor == 7)
        mouse(.scrollDown, 20)
        #expect(player.screenModel?.tab == .request)
        #expect(!halves(player).left.contains { $0.contains("POST /") })
        #expect(halves(player).right.first?.contains("HTTP/1.1 200") == true)
    }

    @Test func `a search finds matches in both, and shows the other one where it was`() {
        let player = player(Self.exchange("only here", Self.lines))
        player.type("3/only here")
        player.press(.enter)
        #expect(player.screenModel?.tab == .request)
        #expect(halves(player).right.contains { $0.contains("line 1") })
    }

    @Test func `a response that ends while the request has the focus is shown to its end`() {
        let player = player(Self.exchange("small", "begun", state: .active))
        player.type("2")
        #expect(halves(player).right.contains { $0.contains("still arriving") })
        player.exchanges.change { $0[0] = Self.exchange("small", "begun and ended") }
        player.update(.storeChanged)
        #expect(player.screenModel?.tab == .request)
        #expect(halves(player).right.contains { $0.contains("begun and ended") })
        #expect(!player.text.contains("still arriving"))
    }

    @Test func `the other message is read as far as it is shown when the terminal grows`() {
        let player = DetailPlayer([Self.exchange()], columns: 120, rows: 8)
        player.type("2")
        player.update(.input(.resize(Size(columns: 200, rows: 60))))
        #expect(halves(player).left.contains { $0.contains("line 40") })
        #expect(halves(player).right.contains { $0.contains("line 40") })
    }
}
