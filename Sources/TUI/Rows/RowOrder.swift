internal import ProxydCaptureModel
internal import ProxydFilter

/// The sort column and direction.
struct RowOrder: Sendable, Hashable {
    var column: SortColumn
    var isDescending: Bool

    /// Recording order, newest last.
    static let recorded = RowOrder(column: .time, isDescending: false)
}

/// A request for a page.
struct RowRequest: Sendable {
    /// Where the page starts.
    enum Anchor: Sendable, Hashable {
        case first
        case last
        case after(ExchangeRow)
        case before(ExchangeRow)
    }

    var filter: Filter
    var order: RowOrder
    var anchor: Anchor
    /// The maximum number of rows.
    var count: Int
}

/// A page of rows, always in the direction of the order.
struct RowPage: Sendable {
    var rows: [ExchangeRow]
    /// Whether there are no more rows on the side toward which it was read.
    var isEnd: Bool
}
