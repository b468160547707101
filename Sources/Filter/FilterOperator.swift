/// What stands between a field and its value.
enum FilterOperator: String, Sendable, CaseIterable {
    case contains = ":"
    case equals = "="
    case matches = "~"
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case less = "<"
    case greater = ">"

    /// Scalars that an operator can begin with.
    static let initials: Set<Unicode.Scalar> = [":", "=", "~", "<", ">"]
}
