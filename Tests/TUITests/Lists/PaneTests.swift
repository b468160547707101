import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import ProxydTUI

/// From 160 columns on, an exchange is open beside the list.
@Suite struct `An exchange beside the list` {
    private static let wide = Size(columns: 160, rows: 30)

    private func player(_ count: Int64 = 100, size: Size = wide) -> Player {
        let rows = Rows.plain(count)
        let exchanges = rows.map { row in
            DetailSamples.exchange(
                row.id.rawValue, .get, row.path ?? "/", [], "",
                [(name: "Content-Type", value: "text/plain")], Array("body \(row.id)".utf8))
        }
        return Player(ScriptedRows(rows, exchanges: exchanges), size: size)
    }

    private func list(_ player: Player) -> ListScreen? {
        player.app.entries.first?.model as? ListScreen
    }

    private func selected(_ player: Player) -> Int64? { list(player)?.selectedRow?.id.rawValue }
    private func shown(_ player: Player) -> Int64? {
        list(player)?.pane?.exchange.row.id.rawValue
    }

    private func hasFocus(_ player: Player) -> Bool { list(player)?.pane?.hasFocus == true }
    private func notice(_ player: Player) -> String { player.lines[player.lines.count - 2] }

    /// The text beside the list.
    private func right(_ player: Player) -> String {
        player.lines.dropLast(2).compactMap { line in
            line.split(separator: "│", maxSplits: 1).dropFirst().first.map(String.init)
        }.joined(separator: "\n")
    }

    @Test(arguments: [(159, 2), (160, 1), (240, 1)])
    func `Enter opens the exchange beside the list from 160 columns on`(
        _ columns: Int, _ screenCount: Int
    ) {
        let player = player(size: Size(columns: columns, rows: 30))
        player.press(.enter)
        #expect(player.app.entries.count == screenCount)
        #expect(player.text.contains("#100  GET https://example.com/items/100"))
        #expect(player.text.contains("/items/99") == (screenCount == 1))
    }

    @Test func `Tab moves the focus between list and exchange, and keys move what has it`() {
        let player = player()
        player.press(.enter)
        #expect(hasFocus(player))
        player.type("jj")
        #expect(selected(player) == 100)
        player.press(.tab)
        #expect(!hasFocus(player))
        player.type("kk")
        #expect(selected(player) == 98 && shown(player) == 98)
        #expect(right(player).contains("#98  GET"))
        player.press(.tab)
        #expect(hasFocus(player))
        player.press(.tab, .enter)
        #expect(hasFocus(player))
    }

    @Test func `keys of one pane work in the other unless they have a meaning there`() {
        let player = player()
        player.press(.enter, .tab)
        player.type("3")
        #expect(right(player).contains("body 100"))
        #expect(!hasFocus(player))
        player.press(.tab)
        // The list's keys: only this path; the exchange's own ones are not covered by them.
        player.type("P")
        #expect(list(player)?.filter.text == "path=/items/100")
        player.type("/body")
        #expect(player.app.entries.count == 1)
        player.press(.enter)
        #expect(right(player).contains("/body"))
    }

    @Test func `the same key acts on the same exchange in both panes`() {
        let player = player()
        player.press(.enter)
        player.type("y")
        player.press(.tab)
        player.type("y")
        player.type("k")
        player.type("y")
        #expect(
            player.copied.map { String(decoding: $0.bytes, as: UTF8.self) } == [
                "https://example.com/items/100", "https://example.com/items/100",
                "https://example.com/items/99",
            ])
    }

    @Test func `brackets go to the next and previous exchange from either pane`() {
        let player = player()
        player.press(.enter)
        player.type("[[")
        #expect(selected(player) == 98 && shown(player) == 98)
        player.press(.tab)
        player.type("]]")
        #expect(selected(player) == 100 && shown(player) == 100)
        player.type("]")
        #expect(notice(player).contains("this is the last one"))
    }

    @Test func `Escape and q close the exchange, and only then does q quit`() {
        let player = player()
        player.press(.enter, .escape)
        #expect(list(player)?.hasOpenPart == false)
        player.press(.enter, .tab)
        #expect(notice(player).contains("q back"))
        player.type("q")
        #expect(list(player)?.hasOpenPart == false && !player.hasQuit)
        #expect(notice(player).contains("q leave"))
        player.type("q")
        #expect(player.hasQuit)
    }

    @Test func `Z shows the exchange alone with its request beside its response`() {
        let player = player()
        player.press(.enter)
        player.type("3Z")
        #expect(player.app.entries.count == 2)
        #expect(player.lines[2].contains("GET /items/100 HTTP/1.1"))
        #expect(player.lines[2].contains("HTTP/1.1 200 Fine"))
        player.type("q")
        #expect(player.app.entries.count == 1 && hasFocus(player))
    }

    @Test func `a click moves the focus, selects rows and tabs, and scrolls where it is`() {
        let player = player()
        player.press(.enter)
        player.mouse(.press, column: 20, row: 3)
        #expect(!hasFocus(player))
        #expect(shown(player) == selected(player) && selected(player) != 100)
        let before = selected(player)
        player.mouse(.press, column: 96, row: 1)
        #expect(hasFocus(player) && selected(player) == before)
        #expect(list(player)?.pane?.exchange.tab == .request)
        player.mouse(.scrollDown, column: 100, row: 10)
        #expect(selected(player) == before)
    }

    @Test func `a terminal made narrower shows the pane that has the focus, and Tab the other one`()
    {
        let player = player()
        player.press(.enter)
        player.update(.input(.resize(Size(columns: 100, rows: 30))))
        #expect(player.text.contains("#100  GET") && !player.text.contains("/items/99"))
        player.press(.tab)
        #expect(player.text.contains("/items/99") && !player.text.contains("#100  GET"))
        player.update(.input(.resize(Size(columns: 160, rows: 30))))
        #expect(player.text.contains("#100  GET") && player.text.contains("/items/99"))
    }

    @Test func `help and palette have the keys of both panes`() {
        let player = player()
        player.press(.enter)
        player.type("?")
        #expect(player.text.contains("Go to the other pane"))
        player.type("/other pane sort by")
        #expect(player.text.contains("Sort by a column"))
        player.press(.escape, .escape)
        player.type(":sort by")
        player.press(.enter)
        #expect(player.text.contains("Sort by ─"))
    }

    // MARK: While things happen

    @Test func `an exchange that ends while it is shown beside the list is shown as ended`() {
        let active = Rows.row(1) {
            $0.state = .active
            $0.status = nil
            $0.durationNs = nil
        }
        let exchanges = [
            DetailSamples.exchange(
                1, .get, "/items/1", [], "", [(name: "Content-Type", value: "text/plain")],
                Array("all of it".utf8))
        ]
        let player = Player(
            ScriptedRows([active, Rows.row(2)], exchanges: exchanges),
            size: Size(columns: 160, rows: 30))
        player.type("g")
        player.press(.enter)
        #expect(right(player).contains("active"))
        player.rows.change { $0[0] = Rows.row(1) }
        player.update(.storeChanged)
        #expect(shown(player) == 1 && hasFocus(player))
        #expect(!right(player).contains("active"))
        #expect(player.lines[0].hasSuffix("200  1 ms"))
    }

    @Test func `an exchange with the focus stays while new ones arrive, and Escape follows again`()
    {
        let player = player()
        player.press(.enter)
        for id in Int64(101)...103 {
            player.rows.change { $0.append(Rows.row(id)) }
            player.update(.storeChanged)
        }
        #expect(selected(player) == 100 && shown(player) == 100)
        #expect(player.text.contains("+3 new"))
        player.press(.escape)
        #expect(selected(player) == 103)
        player.rows.change { $0.append(Rows.row(104)) }
        player.update(.storeChanged)
        #expect(selected(player) == 104)
    }

    @Test func `a list that follows with the focus on it shows each new exchange beside it`() {
        let player = player()
        player.press(.enter, .tab)
        player.type("F")
        for id in Int64(101)...103 {
            player.rows.change { $0.append(Rows.row(id)) }
            player.update(.storeChanged)
            #expect(selected(player) == id && shown(player) == id)
        }
        player.type("k")
        player.rows.change { $0.append(Rows.row(104)) }
        player.update(.storeChanged)
        #expect(selected(player) == 102 && shown(player) == 102)
    }

    @Test
    func `a filter that nothing passes closes the exchange, and what was read for it is lost`() {
        let player = player()
        player.press(.enter)
        player.heldSlots = ["pane.subject"]
        player.press(.tab)
        player.type("k/status=999")
        player.press(.enter)
        #expect(list(player)?.hasOpenPart == false)
        #expect(player.commands.contains("cancel pane.subject"))
        player.runHeld()
        #expect(player.text.contains("nothing matches"))
    }

    @Test func `an exchange that is deleted gives its place to the next one`() {
        let player = player(5)
        player.type("gj")
        player.press(.enter, .tab)
        #expect(shown(player) == 2)
        player.rows.change { $0.remove(at: 1) }
        player.update(.storeChanged)
        #expect(selected(player) == shown(player) && shown(player) != 2)
    }

    // MARK: Goldens

    @Test(arguments: [Size(columns: 160, rows: 50), Size(columns: 240, rows: 60)])
    func `list and exchange match their golden files at 160 and 240 columns`(_ size: Size) throws {
        let player = Player(
            ScriptedRows(Rows.varied, exchanges: [DetailSamples.post]), size: size)
        player.type("g")
        player.press(.enter)
        player.type("3")
        try Golden.expect(player.text, "panes-\(size.columns)x\(size.rows)")
        player.press(.tab)
        try Golden.expect(player.screen.styledText, "panes-styled-\(size.columns)x\(size.rows)")
    }
}
