import ProxydPresentation
import ProxydCaptureModel
import ProxydHTTPModel
import Synchronization
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

@Suite struct `The list` {
    private static let sizes = [
        Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 160, rows: 50),
        Size(columns: 240, rows: 60),
    ]

    private func selected(_ player: Player) -> Int64? {
        (player.app.entries.first?.model as? ListScreen)?.selectedRow?.id.rawValue
    }

    @Test(arguments: sizes)
    func `the list matches its golden file at 80, 120, 160 and 240 columns`(_ size: Size) throws {
        let player = Player(Rows.varied, size: size)
        var facts = StatusFacts()
        facts.isDaemonRunning = true
        facts.exchangeCount = 12
        facts.storeByteCount = 123_456
        facts.listenAddresses = ["127.0.0.1:3128"]
        player.update(.status(facts))
        try Golden.expect(player.text, "list-\(size.columns)x\(size.rows)")
        try Golden.expect(
            player.screen.styledText, "list-styled-\(size.columns)x\(size.rows)")
    }

    @Test func `the list opens at the newest exchange and follows new ones`() {
        let player = Player(Rows.plain(100))
        #expect(selected(player) == 100)
        player.rows.change { $0.append(Rows.row(101)) }
        player.update(.storeChanged)
        #expect(selected(player) == 101)
        #expect(player.lines[20].contains("/items/101"))
    }

    @Test func `moving the cursor stops following new exchanges, and pressing F resumes it`() {
        let player = Player(Rows.plain(100))
        player.type("k")
        player.rows.change { $0.append(Rows.row(101)) }
        player.update(.storeChanged)
        #expect(selected(player) == 99)
        player.type("F")
        #expect(selected(player) == 101)
    }

    @Test func `the list pages through far more exchanges than it keeps in memory`() {
        let player = Player(Rows.plain(5_000))
        player.type("g")
        #expect(selected(player) == 1)
        var last = 1
        while let now = selected(player), now < 5_000 {
            player.press(.control("f"))
            #expect((selected(player) ?? 0) > last)
            last = Int(selected(player) ?? 0)
            guard let list = player.app.entries.first?.model as? ListScreen else { return }
            #expect(list.window.rows.count <= RowWindow<ExchangeRow>.rowCountMax)
            #expect(list.window.visible.contains { $0.id.rawValue == last })
        }
        while let now = selected(player), now > 1 { player.press(Key(.pageUp)) }
        #expect(player.lines[1].contains("/items/1 "))
        player.type("G")
        #expect(selected(player) == 5_000)
    }

    @Test func `reading the exchanges that match a filter shows the progress and can be cancelled`()
    {
        let player = Player(Rows.plain(600))
        player.type("/items/7")
        player.heldSlots = ["page"]
        player.press(.enter)
        guard let ticket = player.app.running.values.first(where: { $0.slot == "page" }) else {
            Issue.record("nothing is being read")
            return
        }
        let news = AppNews(value: ListScreen.News.reading(0.34), notice: nil)
        player.update(.news(ticket, .screen(news)))
        #expect(player.text.contains("reading 34 %, C-g cancels"))
        player.press(.escape)
        #expect(player.commands.contains("cancel page"))
        #expect(player.text.contains("reading was cancelled; R reads again"))
        #expect(!player.text.contains("34 %"))
        // Neither what was under way nor news of the store brings rows back.
        player.runHeld()
        player.update(.storeChanged)
        #expect(player.text.contains("reading was cancelled; R reads again"))
        player.heldSlots = []
        player.type("R")
        #expect(player.text.contains("/items/7 "))
        #expect(!player.text.contains("reading"))
    }

    @Test func `pressing q quits while the list is still reading rows`() {
        let player = Player(Rows.plain(600))
        player.type("/items/7")
        player.heldSlots = ["page"]
        player.press(.enter)
        player.type("q")
        #expect(player.hasQuit)
    }

    @Test func `checking the store for changes does not show the list as busy`() {
        let player = Player(Rows.plain(10))
        player.heldSlots = ["refresh"]
        player.update(.storeChanged)
        #expect(player.app.running.values.contains { $0.slot == "refresh" })
        #expect(!player.app.isBusy)
    }

    @Test func `rows of the previous filter are dimmed until those of the new filter are read`() {
        let player = Player(Rows.plain(10))
        let isFaded = {
            (1...5).allSatisfy { player.screen[30, $0].style.attributes.contains(.dim) }
        }
        #expect(!isFaded())
        player.heldSlots = ["page"]
        player.type("/host:example")
        player.press(.enter)
        #expect(player.text.contains("/items/10") && isFaded())
        player.runHeld()
        #expect(player.text.contains("/items/10") && !isFaded())
    }

    @Test func `a change of the store during a refresh causes another refresh of the list`() {
        let player = Player(Rows.plain(10))
        player.heldSlots = ["refresh"]
        player.update(.storeChanged)
        player.update(.storeChanged)
        player.runHeld()
        #expect(player.app.running.values.contains { $0.slot == "refresh" })
        player.runHeld()
        #expect(!player.app.running.values.contains { $0.slot == "refresh" })
    }

    @Test
    func `exchanges that arrive right after matches were counted are added to the count later`() {
        let player = Player(Rows.plain(600))
        player.type("/method=GET")
        player.press(.enter)
        player.rows.change { $0.append(Rows.row(601)) }
        player.update(.storeChanged)
        #expect(player.text.contains("/method=GET  600 matches"))
        player.now += 3_000_000_000
        player.update(.storeChanged)
        #expect(player.text.contains("/method=GET  601 matches"))
    }

    @Test(arguments: ["status=599", "path=/items/3"])
    func `new matches are looked for only among exchanges that were not searched yet`(
        _ filter: String
    ) {
        let player = Player(Rows.plain(20_000))
        player.type("/" + filter)
        player.press(.enter)
        player.rows.askedAbove.withLock { $0 = [] }
        player.rows.change { $0.append(Rows.row(20_001)) }
        player.update(.storeChanged)
        #expect(player.rows.askedAbove.withLock { $0.count } == 1)
        #expect(player.rows.askedAbove.withLock { $0.allSatisfy { $0 > 15_000 } })
    }

    @Test func `an active exchange in the list is updated when it completes`() {
        let player = Player(Rows.plain(600) + [Rows.row(601)])
        player.rows.change {
            $0[50].state = .active
            $0[50].status = nil
            $0[50].durationNs = nil
        }
        player.type("g")
        for _ in 0..<50 { player.type("j") }
        player.update(.storeChanged)
        #expect(player.lines.contains { $0.contains("/items/51 ") && $0.contains("...") })
        player.rows.change {
            $0[50].state = .complete
            $0[50].status = 418
        }
        player.update(.storeChanged)
        #expect(player.lines.contains { $0.contains("/items/51 ") && $0.contains("418") })
    }

    @Test
    func `an exchange stored after one with a higher number is inserted into the list by number`() {
        let player = Player(Rows.plain(10).filter { $0.id.rawValue != 9 })
        player.rows.change { $0.append(Rows.row(9)) }
        player.update(.storeChanged)
        #expect(player.lines[9].contains("/items/9"))
        #expect(player.lines[10].contains("/items/10"))
    }

    @Test func `exchanges that were deleted disappear from the list`() {
        let player = Player(Rows.plain(30))
        player.rows.change { $0.removeFirst(25) }
        player.update(.storeChanged)
        #expect(player.lines[1].contains("/items/26"))
        #expect(!player.text.contains("/items/25"))
    }

    @Test func `deleted exchanges disappear from the list even if as many new ones arrive`() {
        let player = Player(Rows.plain(6_000))
        player.type("gg")
        #expect(player.lines[1].contains("/items/1 "))
        player.rows.change { rows in
            rows.removeFirst(5)
            rows += (6_001...6_005).map { Rows.row($0) }
        }
        player.update(.storeChanged)
        #expect(player.lines[1].contains("/items/6 "), "\(player.text)")
    }

    @Test(arguments: [100, 130])
    func `after the store was replaced by another one, the list reads everything again`(
        _ count: Int64
    ) {
        let player = Player(Rows.plain(100))
        player.type("ggmmm")
        #expect(player.text.contains("3 marked"))
        player.rows.replace(
            by: Rows.plain(count).map { row in
                var row = row
                row.path = "/other/\(row.id)"
                return row
            })
        player.update(.storeChanged)
        #expect(!player.text.contains("/items/"))
        #expect(player.text.contains("/other/\(count) "))
        #expect(!player.text.contains("marked"))
    }

    @Test func `matches are counted only after the visible rows have been read`() {
        let player = Player(Rows.plain(600))
        player.type("/method=GET")
        player.heldSlots = ["page"]
        player.press(.enter)
        #expect(!player.app.running.values.contains { $0.slot == "count" })
        player.heldSlots = ["count"]
        player.runHeld()
        #expect(player.text.contains("/items/600 "))
        #expect(player.app.running.values.contains { $0.slot == "count" })
        #expect(player.text.contains("/method=GET  counting…"))
        player.runHeld()
        #expect(player.text.contains("/method=GET  600 matches"))
    }

    @Test(arguments: [("path=/items/7", "1 match "), ("path~^/items/.$", "9 matches ")])
    func `matches that have all been read already are not counted again`(
        _ filter: String, _ count: String
    ) {
        let player = Player(Rows.plain(600))
        player.type("/\(filter)")
        player.heldSlots = ["count"]
        player.press(.enter)
        #expect(player.text.contains("/\(filter)  \(count)"))
        #expect(!player.app.running.values.contains { $0.slot == "count" })
    }

    @Test func `the list can be sorted by a column and reversed`() {
        let player = Player(Rows.plain(400))
        player.type("od")
        #expect(selected(player) == 400)
        #expect(player.lines[1].contains("/items/400"))
        player.type("v")
        #expect(player.lines[1].contains("/items/1 "))
        player.press(.control("f"), .control("f"))
        #expect(player.lines[1].contains("/items/2") || player.lines[1].contains("/items/3"))
        player.type("ot")
        #expect(player.lines.contains { $0.contains("/items/\(selected(player) ?? 0)") })
    }

    @Test func `exchanges in the list can be marked and unmarked`() {
        let player = Player(Rows.plain(5))
        player.type("gmm")
        #expect(player.text.contains("2 marked"))
        player.type("g")
        player.type("m")
        #expect(player.text.contains("1 marked"))
        player.type("U")
        #expect(!player.text.contains("marked"))
    }

    @Test func `a missing store is reported in the list`() {
        let player = Player(ScriptedRows([], failure: "nothing was captured yet"))
        #expect(player.text.contains("nothing was captured yet"))
        player.update(.storeChanged)
        #expect(player.text.contains("nothing was captured yet"))
    }

    @Test func `rows that were requested for the previous filter are discarded`() {
        let player = Player(Rows.plain(5_000))
        player.heldSlots = ["before", "page"]
        player.press(.control("b"), .control("b"), .control("b"), .control("b"))
        player.type("/path:items/77")
        player.press(.enter)
        player.heldSlots = []
        player.runHeld()
        #expect(player.lines[1].contains("/items/77 "))
        let shown = player.lines[1...20].filter { $0.contains("/items/") }
        #expect(shown.allSatisfy { $0.contains("/items/77") })
    }

    @Test func `the mouse selects, opens, scrolls and sorts in the list`() {
        let player = Player(Rows.plain(100))
        player.mouse(.press, column: 30, row: 3)
        #expect(selected(player) == 83)
        player.mouse(.scrollUp, column: 30, row: 3)
        #expect(player.lines[1].contains("/items/78"))
        player.mouse(.press, column: 30, row: 3)
        player.mouse(.press, column: 30, row: 3)
        #expect(player.app.entries.count == 2)
        player.press(.escape)
        player.mouse(.press, column: 75, row: 0)
        #expect(player.lines[1].contains("/items/1 "))
    }

    @Test func `pressing q goes back and then quits, and Escape never quits`() {
        let player = Player(Rows.plain(5))
        player.press(.enter)
        #expect(player.app.entries.count == 2)
        player.type("q")
        #expect(player.app.entries.count == 1)
        player.press(.escape)
        #expect(!player.hasQuit)
        player.type("q")
        #expect(player.hasQuit)
    }

    @Test func `pressing y copies the URL of the selected exchange`() {
        let player = Player(Rows.plain(3))
        player.type("y")
        #expect(player.copied.first?.bytes == Array("https://example.com/items/3".utf8))
    }
}
