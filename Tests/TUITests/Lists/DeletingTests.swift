import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Synchronization
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

@Suite struct `Deleting exchanges` {
    /// Deletes from the scripted rows, as a daemon does from its store.
    private final class Deleter: ExchangeDeleting {
        private let rows: ScriptedRows
        let filters = Mutex<[String]>([])

        init(_ rows: ScriptedRows) { self.rows = rows }

        func delete(passing filter: String) throws -> Int {
            filters.withLock { $0.append(filter) }
            let parsed = try Filter.parse(filter)
            let before = rows.all.count
            rows.change { $0.removeAll { parsed.matches(RowSubject(row: $0)) } }
            return before - rows.all.count
        }
    }

    private func player(_ rows: [ExchangeRow]) -> (Player, Deleter) {
        let player = Player(rows)
        let deleter = Deleter(player.rows)
        player.hostActions.deleting = deleter
        return (player, deleter)
    }

    private func left(_ player: Player) -> [Int64] { player.rows.all.map(\.id.rawValue) }

    private func list(_ player: Player) throws -> ListScreen {
        try #require(player.app.entries.first?.model as? ListScreen)
    }

    @Test func `pressing d deletes the exchange under the cursor after confirmation`() throws {
        let (player, _) = player(Rows.plain(5))
        player.type("kd")
        #expect(player.text.contains("Delete 1 exchange "))
        #expect(left(player).count == 5)
        player.type("y")
        #expect(left(player) == [1, 2, 3, 5])
        #expect(player.text.contains("deleted 1 exchange"))
        #expect(!player.text.contains("/items/4 "))
        #expect(player.app.entries.count == 1)
    }

    @Test(arguments: [Key.enter, .escape, Key("n"), Key("q")])
    func `exchanges are deleted only if the confirmation prompt is answered with y`(_ key: Key) {
        let (player, deleter) = player(Rows.plain(5))
        player.press(Key(.delete), key)
        player.type("z")
        player.press(key)
        #expect(left(player).count == 5)
        #expect(deleter.filters.withLock { $0.isEmpty })
    }

    @Test
    func `marked exchanges are deleted even if the filter hides them, but pinned ones are kept`()
        throws
    {
        let (player, _) = player(
            Rows.plain(9).map { row in
                Rows.row(row.id.rawValue) { $0.isPinned = row.id.rawValue == 3 }
            })
        player.type("gmmm/path=/items/9")
        player.press(.enter)
        player.type("d")
        #expect(player.text.contains("Delete 2 exchanges"))
        #expect(player.text.contains("1 pinned stays"))
        player.type("y")
        #expect(left(player) == [3, 4, 5, 6, 7, 8, 9])
        // What is gone is not marked any more; what stayed is.
        #expect(try list(player).marks.map(\.rawValue) == [3])
    }

    @Test
    func `pressing z deletes the unpinned exchanges that match the filter, and says how many`()
        throws
    {
        let (player, deleter) = player(Rows.varied)
        player.type("/status=404 or status=503 or pinned=yes")
        player.press(.enter)
        player.type("z")
        #expect(player.text.contains("Delete 2 exchanges"))
        #expect(player.text.contains("1 pinned stays"))
        player.type("y")
        #expect(left(player) == [1, 2, 3, 6, 7, 8, 9, 10, 11, 12])
        #expect(
            deleter.filters.withLock { $0 } == [
                "(status=404 or status=503 or pinned=yes) id<=12 pinned=no"
            ])
    }

    @Test
    func `pressing z without a filter deletes all exchanges that arrived before the prompt`() {
        let (player, _) = player(Rows.plain(5))
        player.type("z")
        #expect(player.text.contains("Delete 5 exchanges"))
        player.rows.change { $0.append(Rows.row(6)) }
        player.type("y")
        #expect(left(player) == [6])
    }

    @Test func `marked exchanges in a central store are deleted by store name and number`() throws {
        let rows = [(1, "ci-17"), (2, "ci-18"), (3, "ci-17")].map { id, name in
            Rows.row(id) { $0.storeName = name }
        }
        let (player, deleter) = player(rows)
        player.type("gmmdy")
        #expect(left(player) == [3])
        #expect(
            deleter.filters.withLock { $0 } == ["(id=ci-17:1 or id=ci-18:2) pinned=no"])
    }

    @Test
    func `deleting 240 marked exchanges takes three filters, because filter length is limited`()
        throws
    {
        let (player, deleter) = player(Rows.plain(250))
        player.type("g" + String(repeating: "m", count: 240) + "dy")
        #expect(left(player) == Array(241...250))
        #expect(player.text.contains("deleted 240 exchanges"))
        #expect(deleter.filters.withLock { $0.count } == 3)
    }

    @Test func `deleting asks for no confirmation if all exchanges are pinned or none are listed`()
    {
        let (player, _) = player([Rows.row(1) { $0.isPinned = true }])
        player.type("d")
        #expect(player.text.contains("pinned ones are kept; p unpins"))
        player.type("/status=599")
        player.press(.enter)
        player.type("dz")
        #expect(player.text.contains("there is nothing to delete"))
        #expect(player.app.entries.count == 1)
    }

    @Test
    func `deleting an exchange reports that nothing can be deleted when deletion is unavailable`() {
        let player = Player(Rows.plain(3))
        player.type("dy")
        #expect(player.text.contains("nothing can be deleted here"))
        #expect(left(player).count == 3)
    }

    @Test
    func `counting the exchanges to delete can be cancelled, and then no confirmation appears`() {
        let (player, _) = player(Rows.plain(3))
        player.heldSlots = ["delete"]
        player.type("z")
        player.press(.control("g"))
        #expect(player.commands.contains("cancel delete"))
        player.runHeld()
        #expect(player.app.entries.count == 1)
    }

    @Test func `a confirmation that appears late does not receive keys typed into the filter bar`()
        throws
    {
        let (player, _) = player(Rows.plain(3))
        player.heldSlots = ["delete"]
        player.type("z/method=")
        player.runHeld()
        player.type("y")
        #expect(player.app.entries.last?.model is FilterBar)
        #expect(player.lines.contains("/method=y"))
        player.press(.escape)
        #expect(player.app.entries.count == 1)
        #expect(left(player).count == 3)
    }

    @Test func `a confirmed deletion is carried out even if another one is requested immediately`()
    {
        let (player, _) = player(Rows.plain(5))
        player.type("d")
        player.heldSlots = ["delete"]
        player.type("ykd")
        player.runHeld()
        #expect(left(player) == [1, 2, 3, 4])
        #expect(player.text.contains("Delete 1 exchange "))
    }
}
