internal import ProxydCaptureModel

/// The listed messages around the visible part, and the range that was scanned for them: a sieve
/// may have omitted everything beyond the first or the last of them.
struct MessageWindow: Sendable {
    private(set) var rows = RowWindow<MessageRow>()
    /// Messages from `lower` to `upper` were scanned, both included.
    private(set) var lower: Int64 = 0
    private(set) var upper: Int64 = -1

    /// Where listing starts over.
    enum Start: Sendable, Hashable {
        case first, last
        /// At the message with a position, or the nearest one.
        case around(Int64)
    }

    /// Starts over with nothing scanned.
    mutating func begin(_ start: Start) {
        switch start {
        case .first: begin(at: 0, isStart: true, isEnd: false)
        case .last: begin(at: .max, isStart: false, isEnd: true)
        case .around(let position): begin(at: position, isStart: position <= 0, isEnd: false)
        }
    }

    private mutating func begin(at position: Int64, isStart: Bool, isEnd: Bool) {
        rows.replace([], isStart: isStart, isEnd: isEnd)
        lower = position
        upper = isEnd ? -1 : position &- 1
    }

    /// Takes the messages found on one side.
    mutating func take(_ slice: MessageSlice) {
        if let looked = slice.looked {
            lower = min(lower, looked.lowerBound)
            upper = max(upper, looked.upperBound)
        }
        switch slice.side {
        case .after: append(slice)
        case .before: prepend(slice)
        }
    }

    private mutating func append(_ slice: MessageSlice) {
        let former = (first: rows.rows.first?.position, last: rows.rows.last?.position)
        let fresh = slice.rows.drop { row in former.last.map { row.position <= $0 } ?? false }
        rows.append(Array(fresh), isEnd: slice.isAtEdge)
        // Rows that were dropped have to be scanned again.
        if let first = rows.rows.first?.position, let known = former.first, first > known {
            lower = first
        }
        let count = rows.rows.count
        rows.dropLastRows()
        noteDropped(count)
    }

    private mutating func prepend(_ slice: MessageSlice) {
        let former = rows.rows.first?.position
        let fresh = slice.rows.prefix { row in former.map { row.position < $0 } ?? true }
        if slice.isAtEdge { lower = 0 }
        let count = rows.rows.count + fresh.count
        rows.prepend(Array(fresh), isStart: slice.isAtEdge)
        noteDropped(count)
    }

    private mutating func noteDropped(_ count: Int) {
        if rows.rows.count < count, let last = rows.rows.last { upper = last.position }
    }

    /// Moves within the rows.
    mutating func change(_ body: (inout RowWindow<MessageRow>) -> Void) { body(&rows) }
}
