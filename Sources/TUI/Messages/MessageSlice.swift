internal import ProxydCaptureModel

/// Messages that were found while an exchange's messages were gone through from a place on.
struct MessageSlice: Sendable {
    /// Which way they were gone through.
    enum Side: Sendable, Hashable {
        /// From a position towards the first message.
        case before
        /// From a position towards the last message.
        case after
    }

    let side: Side
    /// In the order of their positions, of each only the beginning.
    var rows: [MessageRow] = []
    /// From where to where was looked so far; nil where there was nothing.
    var looked: ClosedRange<Int64>?
    /// Whether there is nothing further on this side.
    var isAtEdge = false

    /// Takes what was found on a page, rows in the page's order. `passing` are those to keep.
    mutating func take(_ page: [MessageRow], passing: [MessageRow]) {
        switch side {
        case .after: rows += passing
        case .before: rows = passing.reversed() + rows
        }
        guard let first = page.first?.position, let last = page.last?.position else { return }
        let seen = min(first, last)...max(first, last)
        looked =
            looked.map {
                min($0.lowerBound, seen.lowerBound)...max($0.upperBound, seen.upperBound)
            } ?? seen
    }

    /// Where the next page goes on.
    var next: MessagePage? {
        looked.map { side == .after ? .after($0.upperBound) : .before($0.lowerBound) }
    }
}
