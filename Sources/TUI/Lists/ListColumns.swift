internal import ProxydCaptureModel

/// Which columns fit, and how wide each is.
struct ListColumns: Sendable {
    enum Column: String, Sendable, Hashable, CaseIterable {
        case marks, id, time, method, host, path, status, proto, type, size, duration, process
    }

    struct Place: Sendable, Hashable {
        let column: Column
        let start: Int
        let width: Int
    }

    let places: [Place]

    init(width: Int) {
        let fixed = ListColumns.widths(width)
        let used = fixed.reduce(0) { $0 + $1.1 + 1 }
        var places: [Place] = []
        var start = 0
        for (column, columnWidth) in fixed {
            let width =
                column == .path ? max(columnWidth, width - used + columnWidth + 1) : columnWidth
            places.append(Place(column: column, start: start, width: width))
            start += width + 1
        }
        self.places = places
    }

    /// The columns for a width; the path takes what is left.
    private static func widths(_ width: Int) -> [(Column, Int)] {
        var columns: [(Column, Int)] = [(.marks, RowMarks.columnCount)]
        if width >= 150 { columns.append((.id, 8)) }
        if width >= 60 { columns.append((.time, width >= 120 ? 12 : 8)) }
        columns.append((.method, width >= 100 ? 7 : 4))
        if width >= 50 { columns.append((.host, max(12, min(40, width / (width < 80 ? 5 : 4))))) }
        columns += [(.path, 8), (.status, 3)]
        if width >= 110 { columns.append((.proto, 7)) }
        if width >= 100 { columns.append((.type, width >= 150 ? 20 : 10)) }
        if width >= 40 { columns.append((.size, 7)) }
        if width >= 70 { columns.append((.duration, 7)) }
        if width >= 130 { columns.append((.process, width >= 160 ? 16 : 10)) }
        return columns
    }

    /// The column under a place on the screen.
    func column(at position: Int) -> Column? {
        places.first { $0.start <= position && position <= $0.start + $0.width }?.column
    }
}

extension ListColumns.Column {
    var title: String {
        switch self {
        case .marks: ""
        case .id: "id"
        case .duration: "took"
        case .status: "st"
        default: rawValue
        }
    }

    /// What sorting by it means; nil where that means nothing.
    var sortColumn: SortColumn? {
        switch self {
        case .marks, .proto: nil
        case .id, .time: .time
        case .method: .method
        case .host: .host
        case .path: .path
        case .status: .status
        case .type: .type
        case .size: .size
        case .duration: .duration
        case .process: .process
        }
    }

    var isRight: Bool {
        switch self {
        case .id, .size, .duration: true
        default: false
        }
    }
}
