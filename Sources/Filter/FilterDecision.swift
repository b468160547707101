/// The result of a filter for an exchange of which not everything may be known yet.
public enum FilterDecision: Sendable, Hashable {
    /// The exchange passes, regardless of what is still to come.
    case passes
    /// The exchange does not pass, regardless of what is still to come.
    case fails
    /// The result depends on what is still to come.
    case open

    /// Creates a final decision from a Boolean.
    init(_ holds: Bool) { self = holds ? .passes : .fails }

    /// The decision after applying `not`.
    var negated: FilterDecision {
        switch self {
        case .passes: .fails
        case .fails: .passes
        case .open: .open
        }
    }
}
