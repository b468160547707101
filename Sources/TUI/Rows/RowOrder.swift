internal import ProxydCaptureModel
internal import ProxydFilter

/// What rows are sorted by, and in which direction.
struct RowOrder: Sendable, Hashable {
    var column: SortColumn
    var isDescending: Bool

    /// As they came, the newest last.
    static let recorded = RowOrder(column: .time, isDescending: false)
}

/// A page to read.
struct RowRequest: Sendable {
    /// Where it begins.
    enum Anchor: Sendable, Hashable {
        case first
        case last
        case after(ExchangeRow)
        case before(ExchangeRow)
    }

    var filter: Filter
    var order: RowOrder
    var anchor: Anchor
    /// Rows at most.
    var count: Int
}

/// A page that was read: always in the order's direction.
struct RowPage: Sendable {
    var rows: [ExchangeRow]
    /// Whether there is nothing beyond it on the side it was read towards.
    var isEnd: Bool
}
