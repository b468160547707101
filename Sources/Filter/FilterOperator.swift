/// The operator between a field and its value.
enum FilterOperator: String, Sendable, CaseIterable {
    case contains = ":"
    case equals = "="
    case matches = "~"
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case less = "<"
    case greater = ">"

    /// The scalars with which an operator can start.
    static let initials: Set<Unicode.Scalar> = [":", "=", "~", "<", ">"]
}
