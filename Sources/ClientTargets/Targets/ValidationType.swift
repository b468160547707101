/// Which statuses a target accepts; others become errors.
public enum ValidationType: Sendable, Hashable {
    /// Every status.
    case none
    /// 200…299.
    case successCodes
    /// 200…399.
    case successAndRedirectCodes
    /// These; none at all is the same as `none`.
    case customCodes([Int])

    /// The statuses; empty for every status.
    public var statusCodes: [Int] {
        switch self {
        case .none: []
        case .successCodes: Array(200..<300)
        case .successAndRedirectCodes: Array(200..<400)
        case .customCodes(let codes): codes
        }
    }
}
