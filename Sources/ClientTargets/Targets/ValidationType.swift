/// The statuses that a target accepts; others become errors.
public enum ValidationType: Sendable, Hashable {
    /// Accepts every status.
    case none
    /// Accepts 200…299.
    case successCodes
    /// Accepts 200…399.
    case successAndRedirectCodes
    /// Accepts these statuses; an empty list is the same as `none`.
    case customCodes([Int])

    /// The accepted statuses; empty means every status.
    public var statusCodes: [Int] {
        switch self {
        case .none: []
        case .successCodes: Array(200..<300)
        case .successAndRedirectCodes: Array(200..<400)
        case .customCodes(let codes): codes
        }
    }
}
