internal import ProxydTerminalLayout
internal import ProxydPresentation
internal import ProxydFilter

/// A line of the help: keys or symbols, and their meaning.
struct HelpEntry: Sendable, Hashable {
    /// The width of the key column if there is space beside it.
    private static let keyColumnCount = 20
    /// On narrower screens, the meaning is below the keys.
    private static let wideColumnCount = 46

    let section: String
    let keys: String
    let words: String

    /// All help entries for some places.
    static func all(in places: Set<Action.Place>) -> [HelpEntry] {
        let general: Set<Action.Place> = [.everywhere, .moving]
        let actions = ActionTable.actions(in: places)
        var entries = actions.filter { $0.places.isDisjoint(with: general) }
            .map { HelpEntry("Here", $0) }
        entries += actions.filter { $0.places.contains(.moving) }
            .map { HelpEntry("Moving around", $0) }
        entries += actions.filter { $0.places.contains(.everywhere) }
            .map { HelpEntry("Everywhere", $0) }
        if places.contains(.list) {
            entries += RowMarks.meanings.map {
                HelpEntry(section: "Signs before a row", keys: $0.0, words: $0.1)
            }
            entries += FilterManual.sections.flatMap { section in
                section.entries.map { HelpEntry("Filter: \(section.title)", $0) }
            }
        }
        return entries
    }

    private init(_ section: String, _ entry: FilterEntry) {
        self.section = section
        keys = entry.form
        words = entry.meaning + (entry.examples.first.map { " (\($0.filter))" } ?? "")
    }

    private init(_ section: String, _ action: Action) {
        self.section = section
        keys = action.keys.map(\.description).joined(separator: " ")
        words = action.help
    }

    private init(section: String, keys: String, words: String) {
        self.section = section
        self.keys = keys
        self.words = words
    }

    /// The entries that contain all words of a text, ignoring case.
    static func found(_ text: String, in entries: [HelpEntry]) -> [HelpEntry] {
        let wanted = text.lowercased().split(separator: " ")
        return entries.filter { entry in
            let words = "\(entry.keys) \(entry.words) \(entry.section)".lowercased()
            return wanted.allSatisfy { words.contains($0) }
        }
    }

    /// The entries below the headings of their sections.
    static func lines(of entries: [HelpEntry], width: Int) -> [StyledText] {
        var section: String?
        return entries.flatMap { entry -> [StyledText] in
            let isNew = entry.section != section
            section = entry.section
            let headings = isNew ? broken(entry.section, max(1, width)) : []
            return headings.map { StyledText($0, Style(.heading).adding(.bold)) }
                + entry.lines(width: width)
        }
    }

    /// The entry in as many lines as needed.
    private func lines(width: Int) -> [StyledText] {
        let style = Style(.accent).adding(.bold)
        guard width >= HelpEntry.wideColumnCount else {
            let keys = HelpEntry.broken(keys, width).map { StyledText($0, style) }
            let words = HelpEntry.broken(words, max(1, width - 2))
            return keys + words.map { StyledText("  " + $0) }
        }
        let column = HelpEntry.keyColumnCount
        let keys = HelpEntry.broken(keys, column)
        let words = HelpEntry.broken(words, width - column - 1)
        return (0..<max(keys.count, words.count)).map { index in
            let key = index < keys.count ? keys[index] : ""
            let padding = String(repeating: " ", count: column + 1 - StyledText(key).columnCount)
            return StyledText(key, style) + StyledText(padding)
                + StyledText(index < words.count ? words[index] : "")
        }
    }

    /// Wraps a text, between words where possible.
    private static func broken(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var rest = String(word)
            if !line.isEmpty,
                StyledText(line).columnCount + 1 + StyledText(rest).columnCount <= width
            {
                line += " " + rest
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while StyledText(rest).columnCount > width, rest.count > 1 {
                lines.append(String(rest.prefix(max(1, width))))
                rest = String(rest.dropFirst(max(1, width)))
            }
            line = rest
        }
        return lines + [line]
    }
}
