import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import Testing

@testable import ProxydTUI

/// The line of hints: how to go back comes before how to leave everything.
@Suite struct `The line of hints` {
    private func hints(_ player: Player) -> String { player.lines[player.lines.count - 2] }

    @Test(arguments: ["T", "S", "n", "?", "W", "L"], [80, 120])
    func `screens opened from the list show the key for going back before the key for quitting`(
        _ key: String, _ columns: Int
    ) {
        let player = Player(Rows.varied, size: Size(columns: columns, rows: 24))
        player.type(key)
        let wanted = key == "W" ? "q leave" : "q back"
        let line = hints(player)
        let back = line.range(of: wanted)
        let quit = line.range(of: "Q quit")
        #expect(back != nil, "\(line)")
        // The chart is part of the list, where q quits; the hints of the rules leave no room.
        #expect((quit == nil) == ["W", "L"].contains(key), "\(line)")
        if let back, let quit { #expect(back.lowerBound < quit.lowerBound, "\(line)") }
    }

    @Test func `the exchange view, the diff and the replay comparison show how to go back`() {
        let player = Player(Rows.varied)
        player.press(.enter)
        #expect(hints(player).contains("q back"))
        player.press(.escape)
        player.type("gmmD")
        #expect(hints(player).contains("q back"))
        let comparison = DetailPlayer(
            [DetailSamples.post, DetailSamples.hostile],
            first: ComparisonScreen(
                Rows.row(1), Rows.row(2) { $0.replayOf = Rows.row(1).id }))
        #expect(comparison.text.contains("q "))
    }

    @Test(arguments: [":", "o", ";", "t", "X", "*", "b", "M"])
    func `every dialog shows what Enter does and that Esc goes back`(_ key: String) {
        let player = Player(Rows.varied)
        player.type(key)
        #expect(player.app.entries.count == 2)
        #expect(player.text.contains("Enter "), "\(player.text)")
        #expect(player.text.contains("Esc back") || player.text.contains("Esc goes back"))
    }

    @Test func `the filter bar and the search show that Esc goes back`() {
        let player = Player(Rows.varied)
        player.type("/")
        #expect(player.text.contains("Esc back"))
        player.press(.escape)
        player.press(.enter)
        player.type("/")
        #expect(player.text.contains("Esc back"))
    }
}
