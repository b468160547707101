import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import ProxydTUI

/// The list of a store whose exchanges may arrive anywhere in it, as in a central store.
struct LateRowTests {
    private func player(_ rows: [ExchangeRow]) -> Player {
        Player(ScriptedRows(rows, isOrderedByNumber: false))
    }

    private func selected(_ player: Player) -> Int64? {
        (player.app.entries.first?.model as? ListScreen)?.selectedRow?.id.rawValue
    }

    /// The numbers of the items that are shown, from top to bottom.
    private func shown(_ player: Player) -> [Int64] {
        player.lines.compactMap { line in
            line.firstMatch(of: /\/items\/(\d+)/).flatMap { Int64($0.1) }
        }
    }

    /// A row that started between two others, delivered under a higher number.
    private func late(_ id: Int64, after seconds: Double) -> ExchangeRow {
        Rows.row(id) { $0.startedAtNs = Rows.start &+ Int64(seconds * 1_000_000_000) }
    }

    private func add(_ rows: [ExchangeRow], to player: Player) {
        player.rows.change { $0 += rows }
        player.now += 10_000_000_000
        player.update(.storeChanged)
    }

    @Test
    func `an exchange that arrives late is inserted in time order, and the selection is kept`() {
        let player = player(Rows.plain(10))
        player.type("kkk")
        #expect(selected(player) == 7)
        add([late(50, after: 6.5)], to: player)
        #expect(shown(player) == [1, 2, 3, 4, 5, 6, 50, 7, 8, 9, 10])
        #expect(selected(player) == 7)
        add([late(51, after: 0.5), late(52, after: 99)], to: player)
        #expect(shown(player) == [51, 1, 2, 3, 4, 5, 6, 50, 7, 8, 9, 10, 52])
        #expect(selected(player) == 7)
    }

    @Test func `a list that follows new exchanges selects the newest one by time, not by number`() {
        let player = player(Rows.plain(10))
        #expect(selected(player) == 10)
        add([late(50, after: 3.5)], to: player)
        #expect(selected(player) == 10)
        add([late(51, after: 20)], to: player)
        #expect(selected(player) == 51 && shown(player).suffix(2) == [10, 51])
    }

    @Test func `exchanges deleted from a central store disappear from the list`() {
        let player = player(Rows.plain(10))
        player.type("kkk")
        player.rows.change { $0.removeAll { [5, 8].contains($0.id.rawValue) } }
        player.update(.storeChanged)
        #expect(shown(player) == [1, 2, 3, 4, 6, 7, 9, 10] && selected(player) == 7)
    }

    @Test
    func `of exchanges that arrive late, only those that match the filter are listed and counted`()
    {
        let player = player(Rows.plain(10))
        player.type("/status=500")
        player.press(.enter)
        #expect(shown(player) == [])
        var failed = late(50, after: 2.5)
        failed.status = 500
        add([failed, late(51, after: 3.5)], to: player)
        #expect(shown(player) == [50] && player.text.contains("1 match"))
    }

    @Test
    func `inserting a late exchange does not move the selected row of a long list on the screen`() {
        let player = player(Rows.plain(3_000))
        player.type("g")
        for _ in 0..<40 { player.press(.control("f")) }
        let before = shown(player)
        let selected = selected(player) ?? 0
        let index = player.lines.firstIndex { $0.contains("/items/\(selected) ") }
        add([late(9_000, after: 0.5), late(9_001, after: 5_000)], to: player)
        #expect(self.selected(player) == selected && shown(player) == before)
        add([late(9_002, after: Double(selected) - 0.5)], to: player)
        #expect(self.selected(player) == selected && shown(player).contains(9_002))
        #expect(index != nil)
        #expect(player.lines.firstIndex { $0.contains("/items/\(selected) ") } == index)
    }
}
