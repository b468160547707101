import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `The tree` {
    private static let rows: [ExchangeRow] =
        Rows.varied + [
            Rows.row(20) { $0.path = "/api/v1/users" },
            Rows.row(21) { $0.path = "/api/v1/users" },
            Rows.row(22) {
                $0.path = "/api/v1/"
                $0.status = 500
            },
            Rows.row(23) { $0.path = "/api/v2/日本語/x" },
            Rows.row(24) {
                $0.host = "api.example.com"
                $0.port = 8_443
            },
            Rows.row(25) {
                $0.scheme = "http"
                $0.port = 80
            },
        ]

    private func opened(
        _ rows: [ExchangeRow] = rows, size: Size = Size(columns: 80, rows: 24)
    ) -> Player {
        let player = Player(rows, size: size)
        player.type("T")
        return player
    }

    /// Moves to the line of a label, which has to be there.
    private func go(_ player: Player, to label: String) throws {
        player.type("g")
        for _ in 0..<(screen(player)?.lines.count ?? 0) {
            if screen(player)?.selected?.label == label { return }
            player.type("j")
        }
        try #require(screen(player)?.selected?.label == label)
    }

    private func line(_ player: Player, _ label: String) -> String? {
        player.lines.first { $0.contains(label) }
    }

    @Test(arguments: [
        Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60),
    ])
    func `the tree matches its golden file at 80, 120 and 200 columns`(_ size: Size) throws {
        let player = opened(size: size)
        player.type("jjjjl")
        while let line = screen(player)?.selected, !line.label.hasPrefix("api/") {
            player.type("j")
        }
        player.type("ljl")
        try Golden.expect(player.text, "tree-\(size.columns)x\(size.rows)")
    }

    private func screen(_ player: Player) -> TreeScreen? {
        player.app.entries.last?.model as? TreeScreen
    }

    @Test func `pressing l unfolds a level of the tree, and h folds it or moves to the parent`()
        throws
    {
        let player = opened()
        #expect(line(player, "https://example.com ")?.contains("▸") == true)
        try go(player, to: "https://example.com")
        #expect(!player.text.contains("api/"))
        player.type("l")
        #expect(line(player, "api/")?.split(separator: " ").contains("4") == true)
        player.type("h")
        #expect(!player.text.contains("api/"))
        // Right on what is unfolded goes into it, left goes back up.
        player.type("ll")
        #expect(screen(player)?.selected?.depth == 1)
        player.type("h")
        #expect(screen(player)?.selected?.label == "https://example.com")
    }

    @Test func `Enter on a folder of the tree filters the list to that folder`() throws {
        let player = opened()
        try go(player, to: "https://example.com")
        player.type("l")
        try go(player, to: "api/")
        player.press(.enter)
        let list = try #require(player.app.entries.last?.model as? ListScreen)
        #expect(list.filter.text == "host=example.com scheme=https port=443 path~^/api/")
        #expect(list.window.rows.map(\.id.rawValue) == [20, 21, 22, 23])
    }

    @Test func `Enter on any line of the tree lists as many exchanges as the line counted`() throws
    {
        let player = opened()
        for _ in 0..<24 { player.type("lj") }
        let count = screen(player)?.lines.count ?? 0
        #expect(count > 15)
        for index in 0..<count {
            let player = opened()
            for _ in 0..<24 { player.type("lj") }
            player.type("g")
            for _ in 0..<index { player.type("j") }
            let line = try #require(screen(player)?.selected)
            player.press(.enter)
            let list = try #require(player.app.entries.last?.model as? ListScreen)
            #expect(Int64(list.window.rows.count) == line.totals.count, "\(line.label)")
        }
    }

    @Test func `names with spaces and quotes in the tree are quoted in the list's filter`() throws {
        let path = "/a b/\"(\\x)\"/c+d"
        let player = opened([Rows.row(1) { $0.path = path }, Rows.row(2)])
        for _ in 0..<8 { player.type("lj") }
        try go(player, to: "c+d")
        player.press(.enter)
        let list = try #require(player.app.entries.last?.model as? ListScreen)
        #expect(list.window.rows.map(\.id.rawValue) == [1])
    }

    @Test func `the tree can be sorted by the number of errors`() {
        let player = opened()
        player.type("oo")
        #expect(player.lines[0].contains("errors▼"))
        let errors = screen(player)?.lines.map(\.totals.errorCount) ?? []
        #expect(errors == errors.sorted(by: >))
        #expect(errors.contains { $0 > 0 })
    }

    @Test func `the tree shows the progress of counting, which can be cancelled`() {
        let player = Player(Self.rows)
        player.heldSlots = ["tree"]
        player.type("T")
        #expect(player.text.contains("counting 0 %"))
        player.press(.control("g"))
        #expect(player.commands.contains("cancel tree"))
        #expect(player.text.contains("cancelled: not all were counted"))
        player.heldSlots = []
        player.type("R")
        #expect(player.text.contains("18 exchanges"))
    }

    @Test func `new exchanges update the tree after a delay, not at every change of the store`() {
        let player = opened()
        player.rows.change { $0.append(Rows.row(30) { $0.host = "new.example" }) }
        player.update(.storeChanged)
        #expect(!player.text.contains("new.example"))
        player.now += 2_000_000_000
        player.update(.storeChanged)
        #expect(player.text.contains("new.example"))
    }

    @Test func `the mouse selects, unfolds and scrolls in the tree`() {
        let player = opened(Rows.plain(100))
        player.mouse(.press, column: 5, row: 1)
        #expect(player.text.contains("items/"))
        player.mouse(.press, column: 5, row: 2)
        player.mouse(.press, column: 5, row: 2)
        player.mouse(.scrollDown, column: 5, row: 2)
        #expect(player.lines[1].contains("1"))
        #expect(screen(player)?.cursor.top == 3)
    }

    @Test func `the tree draws no control or format characters from names`() {
        let player = opened([
            Rows.row(1) {
                $0.host = "a\u{202E}b\u{1B}[2J"
                $0.path = "/\u{200B}\u{9B}31m/\u{7}"
            }
        ])
        for _ in 0..<6 { player.type("lj") }
        for scalar in player.text.unicodeScalars {
            #expect(scalar == "\n" || scalar.properties.generalCategory != .control)
            #expect(scalar.properties.generalCategory != .format)
        }
    }

    @Test func `the tree shows why the store cannot be read`() {
        let player = Player(ScriptedRows([], failure: "the disk is gone"))
        player.type("T")
        #expect(player.text.contains("the disk is gone"))
    }
}
