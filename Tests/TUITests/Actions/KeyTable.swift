@testable import ProxydTUI

/// The table of keys that docs/TUI.md has between two marks, made of the action table.
enum KeyTable {
    static let begin = "<!-- keys -->"
    static let end = "<!-- end of keys -->"

    private static let titles: [(place: Action.Scope, title: String)] = [
        (.everywhere, "Everywhere"), (.moving, "Moving around"), (.list, "List"),
        (.filters, "Saved filters"),
        (.columns, "Columns"),
        (.tree, "Tree"), (.waterfall, "Waterfall"), (.summary, "Summary"), (.detail, "Detail"),
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
