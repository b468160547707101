import ProxydPresentation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `The summary` {
    private func opened(
        _ rows: [ExchangeRow] = Rows.varied + Rows.plain(30).dropFirst(12),
        size: Size = Size(columns: 80, rows: 24)
    ) -> Player {
        let player = Player(Array(rows), size: size)
        player.type("S")
        return player
    }

    private func screen(_ player: Player) -> SummaryScreen? {
        player.app.entries.last?.model as? SummaryScreen
    }

    @Test(arguments: [
        Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60),
    ])
    func `the summary matches its golden file at 80, 120 and 200 columns`(_ size: Size) throws {
        let player = opened(size: size)
        try Golden.expect(player.text, "summary-\(size.columns)x\(size.rows)")
    }

    @Test
    func `opening a line of the summary lists exactly as many exchanges as that line states`()
        throws
    {
        let lines = try #require(screen(opened())).left.filter(\.isChoice)
        #expect(lines.count > 8)
        for index in lines.indices {
            let player = opened()
            for _ in 0..<index { player.type("j") }
            let line = try #require(screen(player)?.selected)
            player.press(.enter)
            let list = try #require(player.app.entries.last?.model as? ListScreen)
            let count = line.value.text.split(separator: " ").first ?? ""
            #expect("\(list.window.rows.count)" == count, "\(line.text.text)")
        }
    }

    @Test func `an exchange that the summary lists among the slowest can be opened`() throws {
        let player = opened(size: Size(columns: 120, rows: 40))
        player.type("l")
        player.press(.enter)
        #expect(player.app.entries.last?.model is DetailScreen)
        player.press(.escape)
        #expect(screen(player) != nil)
    }

    @Test func `the summary covers only exchanges that match the list's filter`() {
        let player = Player(Rows.plain(40))
        player.type("/duration>30")
        player.press(.enter)
        player.type("S")
        #expect(player.text.contains("exchanges   10"))
        #expect(player.text.contains("/duration>30"))
    }

    @Test func `the summary shows the progress of counting, which can be cancelled`() {
        let player = Player(Rows.plain(40))
        player.heldSlots = ["summary"]
        player.type("S")
        #expect(player.text.contains("counting 0 %"))
        player.press(.control("g"))
        #expect(player.commands.contains("cancel summary"))
        #expect(player.text.contains("cancelled: not all were counted"))
    }

    @Test func `new exchanges update the summary after a delay, not at every change of the store`()
    {
        let player = opened(Rows.plain(3))
        player.rows.change { $0.append(Rows.row(4)) }
        player.update(.storeChanged)
        #expect(player.text.contains("exchanges   3"))
        player.now += 2_000_000_000
        player.update(.storeChanged)
        #expect(player.text.contains("exchanges   4"))
    }

    @Test
    func `the summary reports an empty store and a store error, and draws no control characters`() {
        #expect(opened([]).text.contains("exchanges   0"))
        let evil = opened([
            Rows.row(1) {
                $0.host = "a\u{202E}\u{1B}[2J"; $0.method = "\u{9B}"
            }
        ])
        for scalar in evil.text.unicodeScalars where scalar != "\n" {
            #expect(scalar.properties.generalCategory != .control)
            #expect(scalar.properties.generalCategory != .format)
        }
        let broken = Player(ScriptedRows([], failure: "the disk is gone"))
        broken.type("S")
        #expect(broken.text.contains("the disk is gone"))
    }

    @Test func `clicking a status in the summary twice filters the list by that status`() throws {
        let player = opened()
        let row = try #require(player.lines.firstIndex { $0.hasPrefix("  404") })
        player.mouse(.press, column: 4, row: row)
        player.mouse(.press, column: 4, row: row)
        let list = try #require(player.app.entries.last?.model as? ListScreen)
        #expect(list.filter.text == "status=404")
    }
}
