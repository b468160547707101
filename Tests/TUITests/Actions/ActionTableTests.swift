import Foundation
import Testing

@testable import ProxydTUI

/// One table for keys, help, palette and documentation.
struct ActionTableTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs/TUI.md")

    @Test(arguments: Action.Scope.allCases)
    func `no key has two meanings in the same part of the terminal interface`(_ place: Action.Scope)
    {
        var owners: [Key: ActionID] = [:]
        for action in ActionTable.all where action.scopes.contains(place) {
            for key in action.keys {
                let owner = owners.updateValue(action.id, forKey: key)
                #expect(owner == nil, "\(key) is \(owner?.name ?? "") and \(action.id) in \(place)")
            }
        }
    }

    @Test func `every action in the terminal interface has a unique name`() {
        let names = Dictionary(grouping: ActionTable.all, by: \.id)
        for (name, actions) in names { #expect(actions.count == 1, "\(name)") }
    }

    /// Where this fails, `UPDATE_GOLDEN=1 swift test --filter ActionTableTests` writes the table
    /// anew.
    @Test func `the documentation of the terminal interface lists exactly the keys that exist`()
        throws
    {
        var text = try String(contentsOf: ActionTableTests.page, encoding: .utf8)
        let begin = try #require(text.range(of: KeyTable.begin + "\n"))
        let end = try #require(text.range(of: KeyTable.end))
        let wanted = "\n" + KeyTable.lines.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            text.replaceSubrange(begin.upperBound..<end.lowerBound, with: wanted)
            try Data(text.utf8).write(to: ActionTableTests.page)
            return
        }
        let found = text[begin.upperBound..<end.lowerBound]
        let lines = Set(found.split(separator: "\n").map(String.init))
        let missing = KeyTable.lines.filter { !$0.isEmpty && !lines.contains($0) }
        let stale = lines.subtracting(KeyTable.lines).sorted()
        #expect(missing.isEmpty, "docs/TUI.md lacks:\n\(missing.joined(separator: "\n"))")
        #expect(stale.isEmpty, "docs/TUI.md has what is not so:\n\(stale.joined(separator: "\n"))")
        #expect(found == wanted, "docs/TUI.md has the keys in another order")
    }

    @Test func `the help shows the same keys as the documentation, with the other pane's`() {
        var list = ListScreen()
        let keys = { (scopes: Set<Action.Scope>) in
            ActionTable.actions(in: scopes).map {
                $0.keys.map(\.description).joined(separator: " ")
            }
        }
        let shown = { (screen: ListScreen) in Set(HelpEntry.all(of: screen).map(\.keys)) }
        #expect(shown(list).isSuperset(of: keys([.everywhere, .moving, .list])))
        list.pane = ExchangePane(exchange: DetailScreen(Rows.row(1)), focus: .list)
        #expect(shown(list).isSuperset(of: keys([.everywhere, .moving, .list, .panes])))
        #expect(
            shown(list).contains("3")
                && HelpEntry.all(of: list).contains { $0.words == "Show Response" })
        // The list's n composes a request; the exchange's n goes to the next match.
        #expect(!HelpEntry.all(of: list).contains { $0.words == "Go to the next match" })
    }

    @Test func `every part of the terminal interface has a heading in the table of keys`() {
        #expect(KeyTable.untitled.isEmpty)
    }
}

/// The table of keys that docs/TUI.md has between two marks, made of the action table.
enum KeyTable {
    static let begin = "<!-- keys -->"
    static let end = "<!-- end of keys -->"

    private static let titles: [(place: Action.Scope, title: String)] = [
        (.everywhere, "Everywhere"), (.moving, "Moving around"), (.list, "List"),
        (.filters, "Saved filters"),
        (.columns, "Columns"),
        (.tree, "Tree"), (.waterfall, "Waterfall"), (.summary, "Summary"), (.detail, "Detail"),
        (.alone, "An exchange that is not beside its list"), (.panes, "List and exchange"),
        (.messages, "Messages"),
        (.comparison, "Replay beside its original"), (.diff, "Diff"),
        (.traffic, "Two sets of exchanges"), (.compose, "Compose"),
        (.rules, "Rules"), (.holds, "Held"), (.held, "A held message"),
        (.help, "Help"),
        (.typing, "While a text is typed"),
    ]

    static var lines: [String] {
        titles.flatMap { place, title -> [String] in
            let actions = ActionTable.all.filter { $0.scopes.contains(place) }
            guard !actions.isEmpty else { return [] }
            return ["### \(title)", "", "| keys | what they do | name |", "|---|---|---|"]
                + actions.map(row) + [""]
        }
    }

    /// Places that the page has no heading for.
    static var untitled: [Action.Scope] {
        Action.Scope.allCases.filter { place in !titles.contains { $0.place == place } }
    }

    private static func row(_ action: Action) -> String {
        let keys = action.keys.map { "`\($0)`" }.joined(separator: " ")
        let help = action.help.split(separator: "|", omittingEmptySubsequences: false)
        return "| \(keys) | \(help.joined(separator: "\\|")) | `\(action.id)` |"
    }
}
