internal import ProxydFilter

/// The filters that were applied before the present one, to go back to.
struct FilterTrail: Sendable {
    /// Filters that are remembered at most.
    private static let countMax = 100

    /// The latest last.
    private var former: [Filter] = []

    /// Another filter takes the place of this one.
    mutating func leave(_ filter: Filter) {
        former.append(filter)
        former = former.suffix(FilterTrail.countMax)
    }

    /// The filter before the present one, which is forgotten; nil where there is none.
    mutating func back() -> Filter? { former.popLast() }
}
