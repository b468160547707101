import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `Filters from a row` {
    private func list(_ player: Player) throws -> ListScreen {
        try #require(player.app.entries.first?.model as? ListScreen)
    }

    private func shown(_ player: Player) throws -> [Int64] {
        try list(player).window.rows.map(\.id.rawValue)
    }

    /// The keys that bring a player of `Rows.varied` from the newest row to another one.
    private func keys(to id: Int) -> String { String(repeating: "k", count: 12 - id) }

    @Test(arguments: [
        (3, "i", "host=static.assets.cdn.europe.example.org", [3]),
        (
            3, "x", "host!=static.assets.cdn.europe.example.org",
            [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12]
        ),
        (2, "P", "path=/session", [2]),
        (5, "s", "status=503", [5]),
        (6, "s", "not status>=0 state=failed", [6, 12]),
        (10, "P", "not path~.", [10, 12]),
        (12, "i", "not host~.", [12]),
        (12, "x", "host~.", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    ])
    func `the keys i, x, P and s filter the list by the host, path or status of the selected row`(
        _ id: Int, _ key: String, _ filter: String, _ wanted: [Int64]
    ) throws {
        let player = Player(Rows.varied, size: Size(columns: 120, rows: 24))
        player.type(keys(to: id) + key)
        #expect(try list(player).filter.text == filter)
        #expect(try shown(player) == wanted)
        #expect(player.text.contains("/\(filter)  "))
    }

    @Test
    func `keys that filter by the selected row add terms to the current filter, each only once`()
        throws
    {
        let player = Player(Rows.plain(9))
        player.type("/status=200 or status=404")
        player.press(.enter)
        player.type("ki")
        #expect(try list(player).filter.text == "(status=200 or status=404) host=example.com")
        player.type("isPP")
        #expect(
            try list(player).filter.text
                == "(status=200 or status=404) host=example.com status=200 path=/items/8")
        #expect(try shown(player) == [8])
    }

    @Test
    func `pressing u restores earlier filters one by one, including a filter that was cleared`()
        throws
    {
        let player = Player(Rows.varied)
        player.type("/method=GET")
        player.press(.enter)
        player.type("is")
        player.press(.control("u"))
        #expect(try list(player).filter.matchesEverything)
        var texts: [String] = []
        for _ in 0..<4 {
            player.type("u")
            texts.append(try list(player).filter.text)
        }
        #expect(texts[1...] == ["method=GET host=example.com", "method=GET", ""])
        #expect(try shown(player).count == 12)
        player.type("u")
        #expect(player.text.contains("there is no previous filter"))
    }

    @Test func `a filter made from the selected row can be recalled in the filter bar`() {
        let player = Player(Rows.plain(3))
        player.type("iu/")
        player.press(Key(.up))
        #expect(player.lines.contains("/host=example.com"))
    }

    @Test func `a path with spaces, quotes and parentheses becomes one filter value`() throws {
        let path = "/a b/\"(\\x)\"/c+d"
        let player = Player([Rows.row(1) { $0.path = path }, Rows.row(2)])
        player.type("kPPs")
        #expect(try shown(player) == [1])
        #expect(try list(player).filter.text.ranges(of: "path=").count == 1)
    }

    @Test func `keys that filter by a row do nothing in an empty list`() throws {
        let player = Player([])
        player.type("ixPs")
        #expect(try list(player).filter.matchesEverything)
    }

    // MARK: The tree

    @Test func `pressing x in the tree excludes the selected host from the tree and from the list`()
        throws
    {
        let player = Player(Rows.varied)
        player.type("T")
        let tree = try #require(player.app.entries.last?.model as? TreeScreen)
        let label = try #require(tree.selected?.label)
        player.type("x")
        let narrower = try #require(player.app.entries.last?.model as? TreeScreen)
        #expect(!narrower.lines.contains { $0.label == label })
        #expect(narrower.all.count < tree.all.count)
        player.type("q")
        #expect(player.app.entries.count == 1)
        #expect(try list(player).filter.text == narrower.filter.text)
        #expect(Int64(try shown(player).count) == narrower.all.count)
        player.type("u")
        #expect(try shown(player).count == 12)
    }

    @Test
    func `the keys i and P in the tree narrow the filter to a host or folder, and u undoes that`()
        throws
    {
        let player = Player(Rows.varied)
        player.type("T")
        let tree = { player.app.entries.last?.model as? TreeScreen }
        while let line = tree()?.selected, line.label != "https://example.com" { player.type("j") }
        player.type("i")
        #expect(tree()?.filter.text == "host=example.com")
        #expect(tree()?.lines.allSatisfy { $0.host == "example.com" } == true)
        while let line = tree()?.selected, line.label != "https://example.com" { player.type("j") }
        player.type("l")
        while let line = tree()?.selected, line.label != "items/" { player.type("j") }
        player.type("P")
        #expect(tree()?.filter.text == "host=example.com path~^/items/")
        player.type("uu")
        #expect(tree()?.filter.matchesEverything == true)
        player.type("u")
        #expect(player.text.contains("there is no previous filter"))
        // Nothing else changed: the list keeps its filter, and nothing to go back to.
        player.type("qu")
        #expect(player.text.contains("there is no previous filter"))
    }
}
