internal import ProxydFilter
internal import ProxydHTTPModel

extension RuleRun {
    /// The first mock that might answer requests inside a tunnel, as far as can be told before any
    /// of them arrives; nil if there is none. If there is one, the tunnel does not need its server.
    public var tunnelMock: RuleMock? {
        guard !rules.mocks.isEmpty, connection.scheme == "tunnel" else { return nil }
        let subjects = ["https", "http"].map { scheme in
            var inside = connection
            inside.scheme = scheme
            return RuleSubject(inside)
        }
        let candidates = rules.candidates(in: .request, for: connection.host)
        return rules.mocks.first { placed in
            candidates.contains(placed.place.rule)
                && subjects.contains {
                    rules.rules[placed.place.rule].filter.decision($0) != .fails
                }
        }?.mock
    }
}
