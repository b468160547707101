internal import ProxydCaptureModel
internal import ProxydFilter

/// What is new while the newest rows are not followed.
extension ListScreen {
    /// The number of rows that arrived since the newest one was selected or followed.
    var newCount: Int64 {
        guard !isFollowing else { return 0 }
        return unseen.newCount(
            lastID: extent?.lastID, count: exactCount,
            isCounted: !filter.matchesEverything || !isOrderedByNumber)
    }

    /// Marks the current rows as seen if they are on the screen; otherwise only what was unknown
    /// before.
    mutating func lookForNews(isLooking: Bool) {
        let count = exactCount
        if isFollowing || isLooking && isNewestSelected {
            unseen.see(lastID: extent?.lastID, count: count)
        } else {
            unseen.learn(lastID: extent?.lastID, count: count)
        }
    }

    /// Whether new exchanges have higher numbers than the loaded ones.
    var isOrderedByNumber: Bool { extent?.isOrderedByNumber ?? true }

    private var exactCount: Int64? {
        guard case .exactly(let count) = count else { return nil }
        return count
    }

    private var isNewestSelected: Bool {
        guard order.column == .time, !window.isEmpty, !loads.contains(.page) else { return false }
        return order.isDescending
            ? window.isStart && window.selected == 0
            : window.isEnd && window.selected == window.rows.count - 1
    }
}
