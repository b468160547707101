import Foundation
import ProxydFilter
import Testing

@testable import ProxydTUI

@Suite struct `Saved filters` {
    private let folder = TemporaryFolder()

    /// A player whose list keeps what it learns in a folder.
    private func player() -> Player {
        Player(ScriptedRows(Rows.varied), first: ListScreen(memory: .load(folder.path)))
    }

    private func list(_ player: Player) throws -> ListScreen {
        try #require(player.app.entries.first?.model as? ListScreen)
    }

    private func name(_ filter: String, _ name: String, _ player: Player) {
        player.type("/")
        player.press(.control("u"))
        player.type(filter)
        player.press(.enter)
        player.type("N")
        player.press(.control("u"))
        player.type(name)
        player.press(.enter)
    }

    private func saved(_ player: Player) throws -> [String] {
        try list(player).memory.filters.saved.map { "\($0.name ?? "-"): \($0.text)" }
    }

    @Test func `a filter that is saved under a name can be applied in a later session`() throws {
        let first = player()
        name("status>=500", "broken", first)
        #expect(first.text.contains("saved as broken"))
        let second = player()
        second.type("@")
        #expect(second.lines.contains { $0.contains("broken  status>=500") })
        second.press(.enter)
        #expect(second.app.entries.count == 1)
        #expect(try list(second).filter.text == "status>=500")
        #expect(second.text.contains("/status>=500  1 match"))
        second.type("u")
        #expect(try list(second).filter.matchesEverything)
        #expect(folder.mode("filters") == 0o600)
    }

    @Test
    func `in the filter bar, Tab after @ and the start of a name inserts the filter of that name`()
        throws
    {
        let player = player()
        name("status=404 or status=503", "bad-ones", player)
        name("method=POST", "posts", player)
        player.press(.control("u"))
        player.type("/not @ba")
        #expect(player.lines.contains("  (status=404 or status=503)  saved as bad-ones"))
        player.press(.tab)
        #expect(player.lines.contains("/not (status=404 or status=503)"))
        player.press(.enter)
        #expect(try list(player).window.rows.count == 10)
        player.type("/@POSTS")
        player.press(.tab)
        #expect(player.lines.contains("/not (status=404 or status=503) method=POST"))
    }

    @Test
    func `in the filter bar, an @name that was not expanded with Tab is searched for in URLs`()
        throws
    {
        let player = player()
        name("status=404", "lost", player)
        name("@lost", "mail", player)
        #expect(try list(player).window.isEmpty)
    }

    @Test
    func `each name belongs to only one saved filter, and each saved filter has only one name`()
        throws
    {
        let player = player()
        name("status=404", "a", player)
        name("method=POST", "b", player)
        name("status=503", "a", player)
        #expect(player.text.contains("a now names this filter; before, it was status=404"))
        #expect(try saved(player) == ["a: status=503", "b: method=POST"])
        name("method=POST", "posts", player)
        #expect(try saved(player) == ["a: status=503", "posts: method=POST"])
        #expect(try ListMemory.load(folder.path).filters == list(player).memory.filters)
    }

    @Test(arguments: ["", "two words", "a/b", "@x", String(repeating: "x", count: 41)])
    func `an invalid name for a filter is reported and can be corrected`(_ typed: String) throws {
        let player = player()
        name("status=404", typed, player)
        #expect(player.text.contains("a name has up to 40 letters, digits and - _ ."))
        player.press(.control("u"))
        player.type("lost")
        player.press(.enter)
        #expect(try saved(player) == ["lost: status=404"])
    }

    @Test
    func `pressing N reports that there is no filter to save if no filter is applied`() {
        let player = player()
        player.type("N")
        #expect(player.app.entries.count == 1)
        #expect(player.text.contains("there is no filter to save"))
    }

    @Test func `deleting a saved filter needs confirmation and is permanent`() throws {
        let player = player()
        name("status=404", "lost", player)
        name("status=503", "broken", player)
        player.type("@d")
        #expect(player.text.contains("Delete lost"))
        // Enter keeps it: the safe answer is the one that is chosen already.
        player.press(.enter)
        player.type("djd")
        player.press(.escape)
        #expect(player.lines.contains { $0.contains("lost ") })
        player.type("gdy")
        #expect(!player.lines.contains { $0.contains("lost ") })
        #expect(ListMemory.load(folder.path).filters.saved.map(\.name) == ["broken"])
        player.type("q")
        #expect(try saved(player) == ["broken: status=503"])
    }

    @Test func `pressing N in the list of saved filters names the selected filter`() throws {
        let player = player()
        player.type("/status=404")
        player.press(.control("s"), .escape)
        player.type("@")
        #expect(player.lines.contains { $0.contains("│ status=404") })
        player.type("Nlost")
        player.press(.enter)
        #expect(player.lines.contains { $0.contains("lost  status=404") })
        player.press(.escape)
        #expect(try saved(player) == ["lost: status=404"])
    }

    @Test func `an empty list of saved filters explains how to save one`() {
        let player = player()
        player.type("@")
        #expect(player.text.contains("N saves the current one"))
        player.press(.enter)
        player.type("dN")
        #expect(player.app.entries.count == 2)
        player.press(.escape)
        #expect(player.app.entries.count == 1)
    }

    @Test func `a click selects a saved filter, and a second click applies it`() throws {
        let player = player()
        name("status=404", "lost", player)
        name("status=503", "broken", player)
        player.type("@")
        let row = try #require(player.lines.firstIndex { $0.contains("broken") })
        player.mouse(.press, column: 10, row: row)
        #expect(player.app.entries.count == 2)
        player.mouse(.press, column: 10, row: row)
        #expect(try list(player).filter.text == "status=503")
    }

    @Test func `a saved filter that can no longer be parsed is reported and not applied`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        try Data("n old hots:b\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/filters"))
        let player = player()
        player.type("@")
        player.press(.enter)
        #expect(player.app.entries.count == 2)
        #expect(player.text.contains("hots"))
        #expect(try list(player).filter.matchesEverything)
    }

    // MARK: The file

    @Test
    func `saved filters are suggested before recent ones, and both are stored in a private file`()
        throws
    {
        var memory = ListMemory.load(folder.path)
        memory.filters.remember("host:a")
        _ = memory.filters.toggleSaved("status>=500")
        try memory.store()
        let again = ListMemory.load(folder.path)
        #expect(again.filters.history == ["host:a"])
        #expect(again.filters.saved == [SavedFilter(text: "status>=500")])
        #expect(folder.mode("filters") == 0o600)
        let suggestions = FilterCompletion().suggestions(for: "", memory: again.filters)
        #expect(suggestions.map(\.text) == ["status>=500", "host:a"])
    }

    @Test func `a filter of 2 MiB is not stored and does not displace other filters`() throws {
        var memory = ListMemory.load(folder.path)
        memory.filters.remember("host:a")
        memory.filters.remember(String(repeating: "x", count: 2 << 20))
        let isSaved = memory.filters.toggleSaved(String(repeating: "x", count: 2 << 20))
        #expect(!isSaved)
        try memory.store()
        #expect(ListMemory.load(folder.path).filters.history == ["host:a"])
    }

    @Test func `if filters cannot be stored, the error names the directory that cannot be created`()
    {
        var memory = ListMemory.load("/dev/null/proxyctl")
        memory.filters.remember("host:a")
        let failure = #expect(throws: WorkFailure.self) { try memory.store() }
        #expect(failure?.description.hasPrefix("cannot create /dev/null/proxyctl") == true)
    }

    @Test
    func `one running terminal interface does not undo another's saving or deleting of filters`()
        throws
    {
        let first = player()
        name("status=404", "lost", first)
        name("status=503", "broken", first)
        let second = player()
        name("method=POST", "posts", second)
        first.type("@dy")
        first.press(.escape)
        name("method=GET", "gets", first)
        #expect(
            ListMemory.load(folder.path).filters.saved.compactMap(\.name)
                == ["broken", "posts", "gets"])
        // What was saved and forgotten by one interface does not come back.
        first.type("@Gdy")
        first.press(.escape)
        #expect(
            ListMemory.load(folder.path).filters.saved.compactMap(\.name) == ["broken", "posts"])
    }

    @Test func `malformed lines in the file of saved filters are ignored`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let text = "n\nn x\nn a/b status=1\nq ?\ns \nn ok status=404\n\u{1B}[31m\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/filters"))
        let saved = ListMemory.load(folder.path).filters.saved
        #expect(saved == [SavedFilter(name: "ok", text: "status=404")])
    }
}
