public import ProxydCaptureModel
public import ProxydFilter

/// What of the protocol is called otherwise here.
extension StoreReader: ExchangeReading {
    /// The file's number tells it from one that takes its place.
    public var storeNumber: UInt64 { fileNumber }

    /// Whether the index file has the values in order.
    public func isQuick(by column: SortColumn) -> Bool { column == .time || column.index != nil }

    /// A row's value and number.
    public func position(of row: ExchangeRow, by column: SortColumn) -> ListPosition {
        ListPosition(row, column)
    }

    /// The places of rows that pass a filter, sorted by a column.
    public func positions(
        matching filter: Filter, by column: SortColumn, isDescending: Bool,
        from start: ListPosition?, isBackward: Bool, limit: Int, progress: (Double) -> Void
    ) throws(StoreError) -> [ListPosition] {
        try sortKeys(
            matching: filter, by: column, isDescending: isDescending, from: start,
            isBackward: isBackward, limit: limit, progress: progress)
    }
}
