/// Which columns the list has, and in which order.
struct ColumnChoice: Sendable, Hashable {
    /// When a column is shown.
    enum Wish: String, Sendable, Hashable, CaseIterable {
        /// On screens that are wide enough.
        case whereRoom = ""
        /// On narrow screens, too, as long as there is space for the path beside it.
        case always = "+"
        case never = "-"
    }

    struct Entry: Sendable, Hashable {
        let column: ListColumns.Column
        var wish: Wish

        /// Whether it can be switched off; the path cannot, because it takes the remaining space.
        var isOptional: Bool { column != .path }

        /// The notation in the file, such as `host`, `+id` or `-proto`.
        var text: String { wish.rawValue + column.rawValue }
    }

    /// Every column once.
    private(set) var entries: [Entry]

    /// The default columns.
    static let standard = ColumnChoice(
        entries: ListColumns.Column.allCases.map { column in
            switch column {
            case .sent, .client, .server, .user, .listener: Entry(column: column, wish: .never)
            default: Entry(column: column, wish: .whereRoom)
            }
        })

    private init(entries: [Entry]) { self.entries = entries }

    /// Parses the output of `text`. Columns that it does not name are appended.
    init(_ text: String) {
        var entries: [Entry] = []
        for word in text.split(separator: " ") {
            let wish = Wish(rawValue: String(word.prefix(1))) ?? .whereRoom
            let name = String(wish == .whereRoom ? word : word.dropFirst())
            guard let column = ListColumns.Column(rawValue: name),
                !entries.contains(where: { $0.column == column })
            else { continue }
            entries.append(Entry(column: column, wish: column == .path ? .whereRoom : wish))
        }
        let named = Set(entries.map(\.column))
        self.entries = entries + ColumnChoice.standard.entries.filter { !named.contains($0.column) }
    }

    /// The choice as one line of the file.
    var text: String { entries.map(\.text).joined(separator: " ") }

    mutating func wish(_ wish: Wish, at index: Int) {
        guard entries.indices.contains(index), entries[index].isOptional else { return }
        entries[index].wish = wish
    }

    /// Moves a column by one position; returns its new index.
    mutating func move(from index: Int, by step: Int) -> Int {
        let target = index + step
        guard entries.indices.contains(index), entries.indices.contains(target) else {
            return index
        }
        entries.swapAt(index, target)
        return target
    }
}
