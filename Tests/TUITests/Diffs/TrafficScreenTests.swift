import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `Differences of two sets of exchanges` {
    private let store = TemporaryStore()

    private func opened(_ exchanges: [Exchange]) throws -> StorePlayer {
        let recorder = try store.recorder()
        defer { recorder.stop() }
        _ = try recorder.numbers(storing: exchanges)
        return StorePlayer(try store.reader())
    }

    /// A shop whose second run fails.
    private func shop() throws -> StorePlayer {
        try opened([
            .sample(1, "/same"), .sample(2, "/status"), .sample(3, "/gone"),
            .sample(4, "/status", status: 404), .sample(5, "/new", status: 404),
        ])
    }

    private func compare(_ player: StorePlayer, _ before: String, _ after: String) {
        player.type("V")
        player.type(before)
        player.update(.input(.key(.tab)))
        player.type(after)
        player.update(.input(.key(.enter)))
    }

    private func shown(_ player: StorePlayer) -> [String] {
        player.text.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
    }

    @Test
    func `a comparison of two exchange sets lists new exchanges, then gone, then changed ones`()
        throws
    {
        let player = try shop()
        compare(player, "status=200", "status=404")
        let lines = shown(player)
        #expect(lines.contains("- status=200 3 compared"))
        #expect(lines.contains("+ status=404 2 compared"))
        let first = try #require(lines.firstIndex { $0.hasPrefix("new ") })
        #expect(
            lines[first...].prefix(4) == [
                "new GET http://api.test/new 5", "gone GET http://api.test/same 1",
                "gone GET http://api.test/gone 3",
                "changed GET http://api.test/status status 200 → 404 2 → 4",
            ])
        #expect(player.text.contains("0 same, 1 new, 2 gone, 1 changed, 0 slower"))
    }

    @Test
    func `in a comparison of exchange sets, Enter opens a pair's diff or an unpaired exchange`()
        throws
    {
        let player = try shop()
        compare(player, "status=200", "status=404")
        player.type("G")
        player.update(.input(.key(.enter)))
        #expect(player.app.entries.last?.model is DiffScreen)
        player.update(.input(.key(.escape)))
        player.type("g")
        player.update(.input(.key(.enter)))
        #expect(player.app.entries.last?.model is DetailScreen)
        #expect(player.text.contains("http://api.test/new"))
    }

    @Test
    func `swapping two compared sets of exchanges shows new ones as gone and gone ones as new`()
        throws
    {
        let player = try shop()
        compare(player, "status=200", "status=404")
        player.type("x")
        #expect(player.text.contains("0 same, 2 new, 1 gone, 1 changed, 0 slower"))
    }

    @Test func `comparing a set of exchanges with itself shows no difference`() throws {
        let player = try shop()
        compare(player, "", "")
        #expect(player.text.contains("nothing differs"))
        #expect(shown(player).contains("- everything 5 compared"))
    }

    @Test func `when exchange sets are compared, the list's current filter selects the second set`()
        throws
    {
        let player = try shop()
        player.type("/")
        player.type("status=404")
        player.update(.input(.key(.enter)))
        player.type("V")
        player.type("status=200")
        player.update(.input(.key(.enter)))
        #expect(shown(player).contains("+ status=404 2 compared"))
    }

    @Test
    func `comparing two sets of exchanges reports a filter that is invalid or matches nothing`()
        throws
    {
        let player = try shop()
        compare(player, "path=/nowhere", "")
        #expect(player.text.contains("nothing matches path=/nowhere"))
        player.update(.input(.key(.escape)))
        compare(player, "pth=/a", "")
        #expect(player.text.contains("Before, column 1:"))
        #expect(player.app.entries.last?.model is FormDialog)
    }

    @Test
    func `exchanges that differ only in an ignored query parameter are compared with each other`()
        throws
    {
        let player = try opened([
            .sample(1, "/a?t=1"), .sample(2, "/a?t=2", status: 404),
        ])
        player.type("V")
        player.type("status=200")
        player.update(.input(.key(.tab)))
        player.type("status=404")
        player.update(.input(.key(.tab)))
        player.update(.input(.key(.tab)))
        player.type("query:t")
        player.update(.input(.key(.enter)))
        #expect(player.text.contains("0 same, 0 new, 0 gone, 1 changed, 0 slower"))
    }
}
