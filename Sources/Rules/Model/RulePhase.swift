internal import ProxydFilter
public import ProxydHTTPModel

/// When the actions of a rule run.
public typealias RulePhase = AppliedRule.Phase

extension RulePhase {
    /// What a filter may look at: of a message its whole body, which is waited for where a filter
    /// asks for it.
    var filterMoment: FilterMoment {
        switch self {
        case .connect: .connection
        case .request: .requestBody
        case .response: .responseBody
        }
    }
}
