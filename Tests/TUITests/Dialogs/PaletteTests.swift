import Testing

@testable import ProxydTUI

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
    func `arrow keys stay in the action palette's list, and Enter without a match does nothing`() {
        let player = Player(Rows.plain(3))
        player.type(":")
        let first = player.text
        player.press(Key(.down), Key(.up))
        #expect(player.text == first)
        player.press(Key(.up))
        #expect(player.text == first)
        for _ in 0..<200 { player.press(Key(.down)) }
        player.type("zzzzzz")
        #expect(player.text.contains("no such action"))
        player.press(.enter)
        #expect(player.app.entries.count == 1)
    }

    @Test func `Escape closes the action palette without running an action`() {
        let player = Player(Rows.plain(3))
        let before = player.text
        player.type(":revrs")
        player.press(.escape)
        #expect(player.text == before)
    }
}
