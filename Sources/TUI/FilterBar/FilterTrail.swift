internal import ProxydFilter

/// The previously applied filters, to go back to.
struct FilterTrail: Sendable {
    /// The maximum number of remembered filters.
    private static let countMax = 100

    /// The remembered filters, latest last.
    private var former: [Filter] = []

    /// Remembers a filter that is being replaced.
    mutating func leave(_ filter: Filter) {
        former.append(filter)
        former = former.suffix(FilterTrail.countMax)
    }

    /// Removes and returns the previous filter, or returns nil if there is none.
    mutating func back() -> Filter? { former.popLast() }
}
