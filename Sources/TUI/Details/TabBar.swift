/// The layout of the tabs of an exchange: closer together if space is short, and with shorter
/// titles if there is even less.
struct TabBar {
    /// A tab and its columns.
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

    /// Each tab with its digit before it, separated by one column.
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

    /// The tab at a column of the bar.
    func tab(at column: Int) -> DetailTab? {
        places.first { ($0.column..<$0.column + $0.label.count).contains(column) }?.tab
    }
}
