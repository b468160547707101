/// Where the tabs of an exchange stand in their bar: closer together where there is little room,
/// and under shorter names where there is less.
struct TabBar {
    /// A tab and the columns it takes.
    struct Place: Sendable, Hashable {
        let tab: DetailTab
        let label: String
        let column: Int
    }

    let places: [Place]

    init(_ tabs: [DetailTab], columns: Int) {
        let layouts = [
            TabBar.places(tabs, padding: " ", \.title), TabBar.places(tabs, padding: "", \.title),
        ]
        places =
            layouts.first { $0.end <= columns }?.places
            ?? TabBar.places(tabs, padding: "", \.shortTitle).places
    }

    /// Each with its digit in front, a column between them.
    private static func places(
        _ tabs: [DetailTab], padding: String, _ title: (DetailTab) -> String
    ) -> (places: [Place], end: Int) {
        var column = 1
        var places: [Place] = []
        for tab in tabs {
            let label = "\(padding)\(tab.digit) \(title(tab))\(padding)"
            places.append(Place(tab: tab, label: label, column: column))
            column += label.count + 1
        }
        return (places, column - 1)
    }

    /// The tab that the bar has at a column.
    func tab(at column: Int) -> DetailTab? {
        places.first { ($0.column..<$0.column + $0.label.count).contains(column) }?.tab
    }
}
