internal import ProxydHTTPModel

/// A breakpoint in one step: what its filter matches is held. It is in force as one temporary rule.
public struct Intercept: Sendable, Hashable, Codable {
    public static let ruleName = "intercept"

    /// The exchanges whose messages are held; empty for all.
    public var filter: String
    public var holdsRequests: Bool
    public var holdsResponses: Bool

    public init(filter: String, holdsRequests: Bool = true, holdsResponses: Bool = false) {
        self.filter = filter
        self.holdsRequests = holdsRequests
        self.holdsResponses = holdsResponses
    }

    /// Its rule, as in a rules file. The filter's meaning is not checked.
    public var lines: String {
        var phases: [RulePhase] = holdsRequests ? [.request] : []
        if holdsResponses { phases.append(.response) }
        return RuleShortForm.rule(
            Intercept.ruleName, when: filter.isEmpty ? nil : filter,
            actions: phases.map { ($0, "{ hold = true }") })
    }
}
