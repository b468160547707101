internal import ProxydHTTPModel

/// A mock of a rule, with its position.
public struct PlacedMock: Sendable {
    /// Its position in the set of rules.
    public let place: MockPlace
    /// The rule's name.
    public let rule: String
    /// Which captures answer, and how.
    public let mock: RuleMock

    /// Returns the mocks of a rule at a position of its set; empty if the rule is disabled.
    static func all(of rule: Rule, at position: Int) -> [PlacedMock] {
        guard rule.isEnabled else { return [] }
        return rule.actions(in: .request).enumerated().compactMap { number, action in
            guard case .mock(let mock) = action.verb else { return nil }
            let place = MockPlace(rule: position, action: number)
            return PlacedMock(place: place, rule: rule.name, mock: mock)
        }
    }
}
