internal import ProxydCaptureModel

/// How the branches of a tree are sorted.
enum TreeOrder: String, Sendable, Hashable, CaseIterable {
    case name, count, errors, size, newest

    var next: TreeOrder {
        let all = TreeOrder.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + 1) % all.count]
    }

    /// Whether one line sorts before another: names ascending, numbers descending.
    func isBefore(_ left: TreeLine, _ right: TreeLine) -> Bool {
        let (first, second) = (value(left.totals), value(right.totals))
        if first != second { return first > second }
        // Folders first, as in file managers.
        if self == .name, left.isFolder != right.isFolder { return left.isFolder }
        return left.label < right.label
    }

    private func value(_ totals: BranchTotals) -> Int64 {
        switch self {
        case .name: 0
        case .count: totals.count
        case .errors: totals.errorCount
        case .size: totals.byteCount
        case .newest: totals.lastStartedAtNs
        }
    }
}
