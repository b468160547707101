import ProxydPresentation
import Testing

@testable import Capture
@testable import ProxydTUI

@Suite struct `Help, palette and dialogs` {
    @Test func `the help lists the keys of the screen on which it was opened`() throws {
        let player = Player(Rows.plain(3))
        player.type("?")
        try Golden.expect(player.text, "help-80x24")
        player.press(Key(.end))
        #expect(!player.text.contains("Open the exchange"))
        player.press(.escape)
        #expect(player.app.entries.count == 1)
    }

    @Test func `the action palette finds an action by a few letters of its name and runs it`() {
        let player = Player(Rows.plain(100))
        player.type(":revrs")
        #expect(player.text.contains("list.reverse"))
        player.press(.enter)
        #expect(player.text.contains("by time ▼"))
    }

    @Test
    func `every action of the terminal interface has a help text, and no screen uses a key twice`()
    {
        let names = ActionTable.all.map(\.id.name)
        #expect(Set(names).count == names.count)
        for action in ActionTable.all {
            #expect(!action.help.isEmpty)
            #expect(!action.scopes.isEmpty)
        }
        for place in Action.Scope.allCases {
            // A screen's own keys may cover general ones, not each other.
            let own = ActionTable.all.filter {
                $0.scopes.contains(place)
                    && (place == .everywhere || place == .moving
                        || $0.scopes.isDisjoint(with: [.everywhere, .moving]))
            }
            let keys = own.flatMap(\.keys)
            let twice = keys.filter { key in keys.count { $0 == key } > 1 }
            #expect(twice.isEmpty, "\(place): \(twice)")
        }
    }

    @Test func `Ctrl-C quits, Ctrl-Z suspends, Ctrl-L redraws and Alt-m releases the mouse`() {
        let player = Player(Rows.plain(3))
        player.press(.control("z"), .control("l"), .alt("m"))
        #expect(
            player.commands.filter { !$0.hasPrefix("cancel") } == [
                "suspend", "redraw", "mouse false",
            ])
        #expect(player.text.contains("mouse off"))
        player.press(.control("c"))
        #expect(player.hasQuit)
    }

    @Test func `the list and its dialogs can be drawn in a terminal of any size`() {
        let player = Player(Rows.varied)
        for columns in [0, 1, 2, 5, 19, 40, 79, 300] {
            for rows in [0, 1, 2, 3, 5, 100] {
                let size = Size(columns: columns, rows: rows)
                player.update(.input(.resize(size)))
                #expect(player.screen.size == size)
                for key in ["/", "?", ":", "o", ";"] {
                    player.type(key)
                    _ = player.screen
                    player.press(.escape)
                }
            }
        }
    }
}

/// Actions are found by a few letters of their names.
struct PaletteTests {
    @Test(
        arguments: [
            ("", "list.reverse", true), ("lr", "list.reverse", true),
            ("LIST", "list.reverse", true), ("li st", "list.reverse", true),
            ("rl", "list.reverse", false),
            ("listt", "list.reverse", false), ("é", "list", false),
        ])
    func `the action palette finds names that contain all typed letters in order`(
        typed: String, name: String, isFound: Bool
    ) {
        #expect((FuzzyMatch.distance(typed, name) != nil) == isFound)
    }

    @Test func `the action palette ranks adjacent letters above scattered ones`() throws {
        let near = try #require(FuzzyMatch.distance("rev", "list.reverse"))
        let far = try #require(FuzzyMatch.distance("rev", "row.edit.save"))
        let first = try #require(FuzzyMatch.distance("lis", "list.reverse"))
        #expect(near < far)
        #expect(first < near)
    }

    @Test
    func `the action palette's cursor stops at both ends, and Enter without a match does nothing`()
    {
        let player = Player(Rows.plain(3))
        player.type(":")
        let first = (text: player.text, cursor: cursor(player))
        #expect(first.cursor.count == 1)
        player.press(Key(.down))
        #expect(cursor(player) != first.cursor)
        for _ in 0..<2 {
            player.press(Key(.up))
            #expect(player.text == first.text && cursor(player) == first.cursor)
        }
        for _ in 0..<200 { player.press(Key(.down)) }
        let last = (text: player.text, cursor: cursor(player))
        #expect(last.text != first.text && last.cursor.count == 1)
        player.press(Key(.down))
        #expect(player.text == last.text && cursor(player) == last.cursor)
        player.type("zzzzzz")
        #expect(player.text.contains("no such action"))
        player.press(.enter)
        #expect(player.app.entries.count == 1)
    }

    @Test func `the action palette begins with the screen's own actions and prefers whole words`()
        throws
    {
        let player = Player(Rows.plain(3))
        player.type(":")
        #expect(!player.text.contains("Show the keys"))
        player.type("exp")
        let row = try #require(cursor(player).first)
        #expect(player.lines[row].contains("export"))
    }

    /// The rows of the terminal on which the palette's list is marked as selected.
    private func cursor(_ player: Player) -> [Int] {
        let screen = player.screen
        return (4...18).filter { screen[40, $0].style.background == .selection }
    }

    @Test func `Escape closes the action palette without running an action`() {
        let player = Player(Rows.plain(3))
        let before = player.text
        player.type(":revrs")
        player.press(.escape)
        #expect(player.text == before)
    }
}
