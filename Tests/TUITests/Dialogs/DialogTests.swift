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

    @Test func `every action has a unique name and a help text, and no screen uses a key twice`() {
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
