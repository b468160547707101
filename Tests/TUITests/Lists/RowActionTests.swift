import ProxydCaptureModel
import ProxydHTTPModel
import Synchronization
import Testing

@testable import Capture
@testable import ProxydTUI
import ProxydOperations

@Suite struct `Notes, tags and pins` {
    /// Writes into the scripted rows what is asked for.
    private final class Annotator: ExchangeAnnotating {
        private let rows: ScriptedRows
        let changes = Mutex<[AnnotationChange]>([])

        init(_ rows: ScriptedRows) { self.rows = rows }

        func annotate(_ changes: [AnnotationChange]) throws {
            self.changes.withLock { $0 += changes }
            rows.change { rows in
                for change in changes {
                    guard let index = rows.firstIndex(where: { $0.id == change.id }) else {
                        continue
                    }
                    if let note = change.note { rows[index].note = note }
                    rows[index].tags += change.addedTags
                    if let pin = change.isPinned { rows[index].isPinned = pin }
                }
            }
        }
    }

    private func player() -> (Player, Annotator) {
        let player = Player(Rows.plain(3), size: Size(columns: 120, rows: 24))
        let annotator = Annotator(player.rows)
        player.hostActions.annotating = annotator
        return (player, annotator)
    }

    @Test func `a note that is typed for an exchange is stored and then shown`() {
        let (player, _) = player()
        player.type(";look here")
        player.press(.enter)
        #expect(player.text.contains("“look here”"))
        #expect(player.text.contains("changed 3"))
    }

    @Test func `exchanges in a central store are shown with the name of the store they came from`()
    {
        let rows = (1...3).map { id in Rows.row(id) { $0.storeName = "ci-17" } }
        let player = Player(rows, size: Size(columns: 200, rows: 24))
        #expect(player.lines[1].contains(" ci-17:1 "))
        #expect(player.text.contains("#ci-17:3"))
        player.type(";")
        #expect(player.text.contains("Note on ci-17:3"))
    }

    @Test func `each word typed as a tag is added, or removed if it has a leading minus`() {
        let (player, annotator) = player()
        player.type("ta -b c")
        player.press(.enter)
        let change = annotator.changes.withLock { $0.first }
        #expect(change?.addedTags == ["a", "c"])
        #expect(change?.removedTags == ["b"])
        #expect(player.text.contains("#a  #c"))
    }

    @Test func `pressing p pins an exchange, and pressing it again unpins it`() {
        let (player, annotator) = player()
        player.type("pp")
        #expect(annotator.changes.withLock { $0.map(\.isPinned) } == [true, false])
    }

    @Test func `Escape in the prompt for a note changes nothing`() {
        let (player, annotator) = player()
        player.type(";no")
        player.press(.escape)
        #expect(annotator.changes.withLock { $0.isEmpty })
        #expect(!player.text.contains("Note on"))
    }

    @Test func `pinning reports that nothing can be changed when annotations are unavailable`() {
        let player = Player(Rows.plain(3))
        player.type("p")
        #expect(player.text.contains("nothing can be changed here"))
    }

    @Test
    func `if exchanges are pinned faster than pins can be written, every pin is still stored`() {
        let (player, annotator) = player()
        player.heldSlots = ["annotate"]
        player.type("pkpkp")
        #expect(!player.commands.contains("cancel annotate"))
        player.runHeld()
        #expect(annotator.changes.withLock { $0.map(\.id.rawValue) } == [3, 2, 1])
        #expect(player.rows.all.count { $0.isPinned } == 3)
    }

    @Test func `a pin is stored and reported even if the screen is closed right afterwards`() {
        let (player, _) = player()
        player.heldSlots = ["annotate"]
        player.press(.enter)
        player.type("p")
        player.press(.escape)
        #expect(player.app.entries.count == 1)
        #expect(!player.commands.contains { $0.hasSuffix("annotate") })
        player.runHeld()
        #expect(player.text.contains("changed 3"))
    }

    @Test
    func `a pin that cannot be stored is reported even if the screen is closed right afterwards`() {
        let player = Player(Rows.plain(3))
        player.heldSlots = ["annotate"]
        player.press(.enter)
        player.type("p")
        player.press(.escape)
        player.runHeld()
        #expect(player.text.contains("nothing can be changed here"))
    }
}
