internal import ProxydCaptureModel

/// How the database finds what rows are sorted by.
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

    /// The value and what to read it from where all rows are looked at: a connection is looked up
    /// once a row then, however often the value is named.
    var scan: (value: String, source: String) {
        guard self == .process else { return (expression, "exchange") }
        return (
            "sorted.process",
            "exchange LEFT JOIN connection sorted ON sorted.id = exchange.client_connection_id"
        )
    }

    /// What the index file has the values in order in.
    enum Index {
        /// A table of blocks of numbers, and the column.
        case blocks(table: String, column: String)
        /// A table where each era has an order of its own, and the column.
        case eras(table: String, column: String)
    }

    /// Where the index file has the values in order; nil where it has not.
    var index: Index? {
        switch self {
        case .host: .blocks(table: "host_block", column: "host")
        case .status: .blocks(table: "status_block", column: "status")
        case .duration: .eras(table: "duration", column: "duration_ns")
        case .time, .method, .path, .type, .size, .process: nil
        }
    }
}
