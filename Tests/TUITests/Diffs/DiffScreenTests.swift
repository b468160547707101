import ProxydPresentation
import ProxydHTTPModel
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `Differences of two exchanges` {
    private static let json = #"{"user":{"name":"Alice","age":41},"items":[1,2,3],"ok":true}"#
    private static let other =
        #"{"user": {"name": "Bob", "age": 41}, "items": [1,2,3,4], "ok": true}"#

    private func exchange(
        _ id: Int64, _ origin: String, _ body: String, type: String = "application/json",
        fields: [(name: String, value: String)] = []
    ) -> Exchange {
        DetailSamples.exchange(
            id, .get, origin, [(name: "Accept", value: "*/*")], "",
            [(name: "Content-Type", value: type)] + fields, Array(body.utf8))
    }

    private var both: [Exchange] {
        [
            exchange(1, "/users?id=1", Self.json),
            exchange(2, "/users?id=2", Self.other, fields: [(name: "X-Cache", value: "hit")]),
        ]
    }

    private func opened(_ exchanges: [Exchange], columns: Int = 80, rows: Int = 24)
        -> DetailPlayer
    {
        DetailPlayer(
            exchanges, columns: columns, rows: rows,
            first: DiffScreen(exchanges[0].id, exchanges[1].id))
    }

    private func screen(_ player: DetailPlayer) -> DiffScreen? {
        player.app.entries.last?.model as? DiffScreen
    }

    @Test(arguments: [
        Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60),
    ])
    func `the diff of two exchanges matches its golden file at 80, 120 and 200 columns`(
        _ size: Size
    ) throws {
        let player = opened(both, columns: size.columns, rows: size.rows)
        player.press(.tab)
        try Golden.expect(player.text, "diff-\(size.columns)x\(size.rows)")
    }

    @Test func `the diff of two JSON bodies ignores differences in white space`() throws {
        let player = opened(both)
        player.press(.tab)
        let changes = try #require(screen(player)).lines.filter(\.isChange).map {
            $0.sign + $0.text.text
        }
        #expect(changes.contains { $0.hasPrefix("-") && $0.contains("Alice") })
        #expect(changes.contains { $0.hasPrefix("+") && $0.contains("Bob") })
        #expect(changes.contains { $0.hasPrefix("+") && $0.contains("X-Cache") })
        #expect(!changes.contains { $0.contains("age") })
    }

    @Test func `the diff hides equal lines far from a difference until the key a is pressed`()
        throws
    {
        let lines = (0..<200).map { "line \($0)" }
        var changed = lines
        changed[100] = "another"
        let player = opened([
            exchange(1, "/", lines.joined(separator: "\n"), type: "text/plain"),
            exchange(2, "/", changed.joined(separator: "\n"), type: "text/plain"),
        ])
        #expect(screen(player)?.section == 1)
        #expect(player.text.contains("equal lines"))
        #expect(player.text.contains("another"))
        let few = try #require(screen(player)).lines.count
        #expect(few < 20)
        player.type("a")
        #expect((screen(player)?.lines.count ?? 0) > 200)
        player.type("gn")
        #expect(player.text.contains("- line 100"))
        #expect(player.text.contains("+ another"))
    }

    @Test func `the diff of two exchanges says if their requests or responses are equal`() {
        let player = opened([exchange(1, "/", Self.json), exchange(2, "/", Self.json)])
        #expect(player.text.contains("Response equal"))
        #expect(player.text.contains("Request equal"))
    }

    @Test func `pressing x swaps the two sides of a diff`() {
        let player = opened(both)
        player.type("x")
        #expect(player.text.hasPrefix("- #2"))
    }

    @Test func `the diff reports an exchange that is no longer in the store`() {
        let player = DetailPlayer(
            both, first: DiffScreen(ExchangeID(rawValue: 1), ExchangeID(rawValue: 99)))
        #expect(player.text.contains("exchange 99 is no longer in the store"))
    }

    @Test func `the diff draws no control or format characters from the exchanges`() {
        let player = opened([
            exchange(1, "/", "a\u{1B}]0;x\u{7}\n\u{202E}b", type: "text/plain"),
            exchange(2, "/", "a\u{1B}[2J\n\u{200B}c", type: "text/plain\u{9B}"),
        ])
        for _ in 0..<3 {
            player.press(.tab)
            for scalar in player.text.unicodeScalars where scalar != "\n" {
                #expect(scalar.properties.generalCategory != .control)
                #expect(scalar.properties.generalCategory != .format)
            }
        }
    }

    @Test func `the list can compare two marked exchanges, or a marked one with the selected one`()
    {
        let player = Player(Rows.plain(5))
        player.type("D")
        #expect(player.text.contains("mark two exchanges"))
        player.type("gmm")
        player.type("D")
        #expect(player.app.entries.last?.model is DiffScreen)
        player.press(.escape)
        player.type("Ugm")
        player.type("GD")
        #expect(player.app.entries.last?.model is DiffScreen)
    }
}
