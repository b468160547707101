import Capture
import ProxydFilter
import Testing

@testable import ProxydTUI

@Suite struct `The help` {
    /// Everything it says, by scrolling through it.
    private func everything(_ player: Player) -> String {
        var seen = player.text
        for _ in 0..<400 {
            let before = player.text
            player.press(Key(.pageDown))
            if player.text == before { break }
            seen += "\n" + player.text
        }
        return seen
    }

    private func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && $0 != "-" }.map(String.init)
    }

    @Test(arguments: [
        Size(columns: 80, rows: 24), Size(columns: 40, rows: 10), Size(columns: 30, rows: 6),
    ])
    func `no word of the help is cut, however small the terminal`(_ size: Size) {
        let player = Player(Rows.varied, size: size)
        player.type("?")
        let seen = everything(player)
        #expect(!seen.contains("…"), "\(size)")
        let words = Set(words(seen))
        for action in ActionTable.actions(in: [.everywhere, .moving, .list]) {
            for word in self.words(action.help) where word.count < 12 {
                #expect(words.contains(word), "\(word) of \(action.id) at \(size)")
            }
        }
    }

    @Test func `a search in the help shows only matching entries, and Esc shows all again`() {
        let player = Player(Rows.varied)
        player.type("?")
        player.type("/CURL")
        #expect(player.text.contains("Copy it as a curl command"))
        #expect(!player.text.contains("Unmark all"))
        player.press(.enter)
        #expect(!player.text.contains("Unmark all"))
        player.press(.escape)
        #expect(player.text.contains("Open the exchange"))
        #expect(player.app.entries.count == 2)
        player.press(.escape)
        #expect(player.app.entries.count == 1)
    }

    @Test func `a search in the help reports if nothing matches`() {
        let player = Player(Rows.varied)
        player.type("?/zzzz")
        #expect(player.text.contains("nothing found"))
    }

    @Test func `every section of the filter language can be found in the help`() throws {
        for section in FilterManual.sections {
            let entry = try #require(section.entries.first)
            let player = Player(Rows.varied, size: Size(columns: 80, rows: 100))
            player.type("?/\(entry.form)")
            let word = try #require(entry.meaning.split(separator: " ").first)
            #expect(player.text.contains("Filter: "), "\(entry.form)")
            #expect(player.text.contains(word))
        }
    }

    @Test func `the help explains the symbol that marks a replay in the list`() {
        let player = Player(Rows.varied)
        player.type("?/replay")
        #expect(player.text.contains("↺"))
    }
}
