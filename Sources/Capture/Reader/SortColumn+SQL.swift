internal import ProxydCaptureModel

/// Where the database finds the values that rows are sorted by.
extension SortColumn {
    /// The value, as an expression on the table `exchange`.
    var expression: String {
        switch self {
        case .time: "exchange.id"
        case .method: "exchange.method"
        case .host: "exchange.host"
        case .path: "exchange.path"
        case .status: "exchange.status"
        case .type: "exchange.response_type"
        case .size: "exchange.response_body_bytes"
        case .duration: "exchange.duration_ns"
        case .process:
            "(SELECT process FROM connection WHERE id = exchange.client_connection_id)"
        }
    }

    /// The value and the tables to read it from when all rows are scanned: a connection is then
    /// looked up once per row, however often the value is used.
    var scan: (value: String, source: String) {
        guard self == .process else { return (expression, "exchange") }
        return (
            "sorted.process",
            "exchange LEFT JOIN connection sorted ON sorted.id = exchange.client_connection_id"
        )
    }

    /// Where the index file stores the values in sorted order.
    enum Index {
        /// A table of blocks of exchange numbers, and the column.
        case blocks(table: String, column: String)
        /// A table in which each era is sorted separately, and the column.
        case eras(table: String, column: String)
    }

    /// Where the index file stores the values in sorted order, or nil if it does not.
    var index: Index? {
        switch self {
        case .host: .blocks(table: "host_block", column: "host")
        case .status: .blocks(table: "status_block", column: "status")
        case .duration: .eras(table: "duration", column: "duration_ns")
        case .time, .method, .path, .type, .size, .process: nil
        }
    }
}
