internal import ProxydCaptureModel

/// Messages found while going through an exchange's messages from a position.
struct MessageSlice: Sendable {
    /// The direction in which messages are read.
    enum Side: Sendable, Hashable {
        /// From a position toward the first message.
        case before
        /// From a position toward the last message.
        case after
    }

    let side: Side
    /// The messages in order of their positions, each with only its start.
    var rows: [MessageRow] = []
    /// The range of positions scanned so far, or nil if there were no messages.
    var looked: ClosedRange<Int64>?
    /// Whether there are no further messages on this side.
    var isAtEdge = false

    /// Takes the messages of a page, in the page's order. `passing` are those to keep.
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

    /// The next page to read.
    var next: MessagePage? {
        looked.map { side == .after ? .after($0.upperBound) : .before($0.lowerBound) }
    }
}
