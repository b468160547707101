/// The ids a scan goes through, window by window.
struct ScanWindow {
    /// How many numbers are looked at in one read at first, and at most: a read must not last.
    private static let countFirst: Int64 = 2_000
    private static let countMax: Int64 = 50_000

    var lowest: Int64
    var highest: Int64
    let isAscending: Bool
    var count = ScanWindow.countFirst

    var isEmpty: Bool { lowest > highest }

    /// The next ids to look at, first and last.
    var bounds: (lowest: Int64, highest: Int64) {
        isAscending
            ? (lowest, min(highest, lowest &+ count &- 1))
            : (max(lowest, highest &- count &+ 1), highest)
    }

    /// The share of the window that was looked at when a number was, 0 to 1.
    func share(through id: Int64) -> Double {
        let all = highest &- lowest &+ 1
        guard all > 0 else { return 1 }
        let seen = isAscending ? id &- lowest &+ 1 : highest &- id &+ 1
        return min(1, max(0, Double(seen) / Double(all)))
    }

    mutating func advance(past id: Int64) {
        if isAscending { lowest = id &+ 1 } else { highest = id &- 1 }
    }

    mutating func resize(wasSlow: Bool) {
        count = wasSlow ? max(100, count / 4) : min(ScanWindow.countMax, count * 2)
    }
}
