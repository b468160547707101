public import ProxydCaptureModel
public import ProxydFilter

/// The requirements of `ExchangeReading` that have other names in this type.
extension StoreReader: ExchangeReading {
    /// The inode number of the file tells it apart from a file that later replaces it.
    public var storeNumber: UInt64 { fileNumber }

    /// Whether the index file stores the values in sorted order.
    public func isQuick(by column: SortColumn) -> Bool { column == .time || column.index != nil }

    /// Returns the position of a row: its value in the column and its exchange number.
    public func position(of row: ExchangeRow, by column: SortColumn) -> ListPosition {
        ListPosition(row, column)
    }

    /// Returns the positions of rows that match a filter, sorted by a column.
    public func positions(
        matching filter: Filter, by column: SortColumn, isDescending: Bool,
        from start: ListPosition?, isBackward: Bool, limit: Int, progress: (Double) -> Void
    ) throws(StoreError) -> [ListPosition] {
        try sortKeys(
            matching: filter, by: column, isDescending: isDescending, from: start,
            isBackward: isBackward, limit: limit, progress: progress)
    }
}
