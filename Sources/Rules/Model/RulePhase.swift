internal import ProxydFilter
public import ProxydHTTPModel

/// The phase in which actions of a rule run.
public typealias RulePhase = AppliedRule.Phase

extension RulePhase {
    /// What a filter of this phase may examine, including the whole body, which is waited for if a
    /// filter needs it.
    var filterMoment: FilterMoment {
        switch self {
        case .connect: .connection
        case .request: .requestBody
        case .response: .responseBody
        }
    }
}
