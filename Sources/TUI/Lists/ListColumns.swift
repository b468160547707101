internal import ProxydCaptureModel

/// Which columns fit, and their widths.
struct ListColumns: Sendable {
    struct Place: Sendable, Hashable {
        let column: Column
        let start: Int
        let width: Int
    }

    /// The width that the path keeps before other columns are dropped.
    private static let pathWidthMin = 12

    let places: [Place]

    /// The width of a name such as `ci-17:4711`.
    private static let storeNameWidth = 20

    /// - Parameter hasStoreNames: Whether exchanges are named `STORE:NUMBER`.
    init(width: Int, choice: ColumnChoice = .standard, hasStoreNames: Bool = false) {
        let own = { (column: Column) in
            column == .id && hasStoreNames
                ? ListColumns.storeNameWidth : column.width(in: width)
        }
        let columns = ListColumns.fitting(width, choice, own)
        let others = columns.reduce(0) { $0 + ($1 == .path ? 0 : own($1) + 1) }
        var places: [Place] = []
        var start = 0
        for column in columns {
            // The path takes the remaining space.
            let taken = column == .path ? max(own(column), width - others) : own(column)
            places.append(Place(column: column, start: start, width: taken))
            start += taken + 1
        }
        self.places = places
    }

    /// The wanted columns that fit beside the path.
    private static func fitting(
        _ width: Int, _ choice: ColumnChoice, _ own: @escaping (Column) -> Int
    ) -> [Column] {
        let isRoomy = { (entry: ColumnChoice.Entry) in width >= entry.column.screenWidthMin }
        var entries = choice.entries.filter { entry in
            switch entry.wish {
            case .always: true
            case .whereRoom: isRoomy(entry)
            case .never: false
            }
        }
        let room = {
            entries.reduce(width) {
                $0 - ($1.column == .path ? 0 : own($1.column) + 1)
            }
        }
        while room() < pathWidthMin, let index = leastIndex(entries) { entries.remove(at: index) }
        return entries.map(\.column)
    }

    /// The column to drop first, or nil if all remaining ones are shown on every screen.
    private static func leastIndex(_ entries: [ColumnChoice.Entry]) -> Int? {
        let optional = entries.indices.filter { entries[$0].column.screenWidthMin > 0 }
        let unasked = optional.filter { entries[$0].wish == .whereRoom }
        return (unasked.isEmpty ? optional : unasked)
            .max { entries[$0].column.screenWidthMin < entries[$1].column.screenWidthMin }
    }

    /// The column at a position on the screen.
    func column(at position: Int) -> Column? {
        places.first { $0.start <= position && position <= $0.start + $0.width }?.column
    }
}
