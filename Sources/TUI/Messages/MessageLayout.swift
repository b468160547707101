/// The layout of the list of messages and the selected message: one above the other, or side by
/// side on wide screens.
struct MessageLayout: Sendable {
    /// The minimum width for placing them side by side.
    private static let wideColumnCount = 140
    /// On screens with fewer rows, only one of them is shown.
    private static let splitRowCount = 10

    /// The list, with headings in its first row; empty if the message takes all the space.
    let list: Rectangle
    /// The row above the message; empty if the list takes all the space.
    let heading: Rectangle
    /// The lines of the message.
    let lines: Rectangle
    let isWide: Bool

    /// Lays them out in the space between the tabs and the bottom line.
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

    /// The number of rows for messages.
    var listedRowCount: Int { max(1, list.size.rows - 1) }
}
