/// Where the tabs of an exchange stand in their bar: closer together where there is little room.
struct TabBar {
    /// A tab and the columns it takes.
    struct Place: Sendable, Hashable {
        let tab: DetailTab
        let label: String
        let column: Int
    }

    let places: [Place]

    init(_ tabs: [DetailTab], columns: Int) {
        let wide = TabBar.places(tabs, padding: " ")
        places = wide.end <= columns ? wide.places : TabBar.places(tabs, padding: "").places
    }

    /// Each with its digit in front, a column between them.
    private static func places(
        _ tabs: [DetailTab], padding: String
    ) -> (places: [Place], end: Int) {
        var column = 1
        var places: [Place] = []
        for tab in tabs {
            let label = "\(padding)\(tab.rawValue + 1) \(tab.title)\(padding)"
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
