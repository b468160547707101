internal import ProxydCaptureModel

/// The listed messages around what is seen, and how far it was looked for others: a sieve may have
/// left out all that lies beyond the first or the last of them.
struct MessageWindow: Sendable {
    private(set) var rows = RowWindow<MessageRow>()
    /// Messages from `lower` to `upper` were looked at, both included.
    private(set) var lower: Int64 = 0
    private(set) var upper: Int64 = -1

    /// Where listing begins anew.
    enum Start: Sendable, Hashable {
        case first, last
        /// With the message at a position, or what is nearest to it.
        case around(Int64)
    }

    /// Begins anew with nothing known.
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

    /// Takes what was found on one side.
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
        // What fell off has to be looked for again.
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

    /// Moves about in the rows.
    mutating func change(_ body: (inout RowWindow<MessageRow>) -> Void) { body(&rows) }
}
