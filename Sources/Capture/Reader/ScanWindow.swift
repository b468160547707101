/// The exchange numbers that a scan goes through, window by window.
struct ScanWindow {
    /// How many numbers the first read and the largest read cover: a read must stay short.
    private static let countFirst: Int64 = 2_000
    private static let countMax: Int64 = 50_000

    private(set) var lowest: Int64
    private(set) var highest: Int64
    let isAscending: Bool
    private var count = ScanWindow.countFirst
    /// Whether the scan is complete; at the ends of the integer range the bounds cannot express it.
    private var isDone = false

    init(lowest: Int64, highest: Int64, isAscending: Bool) {
        self.lowest = lowest
        self.highest = highest
        self.isAscending = isAscending
    }

    var isEmpty: Bool { isDone || lowest > highest }

    /// The first and last number of the next window.
    var bounds: (lowest: Int64, highest: Int64) {
        if isAscending {
            let (end, isOver) = lowest.addingReportingOverflow(count - 1)
            return (lowest, isOver ? highest : min(highest, end))
        }
        let (end, isOver) = highest.subtractingReportingOverflow(count - 1)
        return (isOver ? lowest : max(lowest, end), highest)
    }

    /// The share of the window that has been scanned once `id` has been, 0 to 1.
    func share(through id: Int64) -> Double {
        let all = Double(highest) - Double(lowest) + 1
        let seen = isAscending ? Double(id) - Double(lowest) : Double(highest) - Double(id)
        return all > 0 ? min(1, max(0, (seen + 1) / all)) : 1
    }

    mutating func advance(past id: Int64) {
        isDone = isAscending ? id >= highest : id <= lowest
        guard !isDone else { return }
        if isAscending { lowest = id + 1 } else { highest = id - 1 }
    }

    /// Skips the numbers before the next existing one; nil if there is none.
    mutating func skip(to id: Int64?) {
        guard let id, lowest <= id, id <= highest else { return isDone = true }
        if isAscending { lowest = id } else { highest = id }
    }

    mutating func resize(wasSlow: Bool) {
        count = wasSlow ? max(100, count / 4) : min(ScanWindow.countMax, count * 2)
    }
}
