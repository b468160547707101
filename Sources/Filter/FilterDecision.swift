/// What a filter says of an exchange of which not everything may be known.
public enum FilterDecision: Sendable, Hashable {
    /// It passes, whatever is still to come.
    case passes
    /// It does not, whatever is still to come.
    case fails
    /// What is still to come decides.
    case open

    /// Of two answers.
    init(_ holds: Bool) { self = holds ? .passes : .fails }

    /// What `not` makes of it.
    var negated: FilterDecision {
        switch self {
        case .passes: .fails
        case .fails: .passes
        case .open: .open
        }
    }
}
