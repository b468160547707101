/// Where the list of messages and the message that is viewed lie: one above the other, or side by
/// side where there is much room.
struct MessageLayout: Sendable {
    /// From so many columns on they lie side by side.
    private static let wideColumnCount = 140
    /// Below so many rows only one of them is shown.
    private static let splitRowCount = 10

    /// The list, its headings in its first row; nothing where the message takes all of it.
    let list: Rectangle
    /// The row above the message; nothing where the list takes all of it.
    let heading: Rectangle
    /// The lines of the message.
    let lines: Rectangle
    let isWide: Bool

    /// Lays them out in the room between the tabs and the line below.
    init(_ size: Size, isOnMessage: Bool) {
        let (columns, rows) = (size.columns, size.rows)
        isWide = columns >= MessageLayout.wideColumnCount && rows >= 4
        if isWide {
            let width = columns * 9 / 20
            list = Rectangle(column: 0, row: 0, size: Size(columns: width, rows: rows))
            heading = Rectangle(
                column: width + 1, row: 0, size: Size(columns: columns - width - 1, rows: 1))
            lines = Rectangle(
                column: width + 1, row: 1,
                size: Size(columns: columns - width - 1, rows: rows - 1))
            return
        }
        let shared = max(4, rows * 9 / 20)
        let listRows = rows >= MessageLayout.splitRowCount ? shared : isOnMessage ? 0 : rows
        let headingRows = min(1, rows - listRows)
        list = Rectangle(column: 0, row: 0, size: Size(columns: columns, rows: listRows))
        heading = Rectangle(
            column: 0, row: listRows, size: Size(columns: columns, rows: headingRows))
        lines = Rectangle(
            column: 0, row: listRows + headingRows,
            size: Size(columns: columns, rows: rows - listRows - headingRows))
    }

    /// Rows for messages.
    var listedRowCount: Int { max(1, list.size.rows - 1) }
}
