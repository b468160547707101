internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// The position of a row in rows sorted by a column: its value, then its exchange number.
typealias SortKey = ListPosition

extension ListPosition {
    /// The position of a row.
    init(_ row: ExchangeRow, _ column: SortColumn) {
        self.init(value: SortKey.value(of: row, column), id: row.id)
    }

    private static func value(of row: ExchangeRow, _ column: SortColumn) -> Value? {
        switch column {
        case .time: .integer(row.id.rawValue)
        case .method: row.method.map(Value.text)
        case .host: row.host.map(Value.text)
        case .path: row.path.map(Value.text)
        case .status: row.status.map { .integer(Int64($0)) }
        case .type: row.responseContentType.map(Value.text)
        case .size: .integer(row.responseBodyByteCount)
        case .duration: row.durationNs.map(Value.integer)
        case .process: row.process.map(Value.text)
        }
    }

    /// Whether this key sorts before another one; both must have a value.
    func isBefore(_ other: SortKey, isDescending: Bool) -> Bool {
        isDescending ? other.isLess(than: self) : isLess(than: other)
    }

    private func isLess(than other: SortKey) -> Bool {
        switch (value, other.value) {
        case (.integer(let left)?, .integer(let right)?):
            return (left, id) < (right, other.id)
        case (.text(let left)?, .text(let right)?):
            if left == right, left.utf8.elementsEqual(right.utf8) { return id < other.id }
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.integer?, .text?): return true
        case (.text?, .integer?): return false
        case (nil, _), (_, nil): return id < other.id
        }
    }
}
