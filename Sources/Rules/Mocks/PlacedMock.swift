internal import ProxydHTTPModel

/// A mock of a rule.
public struct PlacedMock: Sendable {
    /// Where it stands in the set.
    public let place: MockPlace
    /// The rule's name.
    public let rule: String
    /// Which captures, and how.
    public let mock: RuleMock

    /// Those of a rule at a position of its set; none where it is switched off.
    static func all(of rule: Rule, at position: Int) -> [PlacedMock] {
        guard rule.isEnabled else { return [] }
        return rule.actions(in: .request).enumerated().compactMap { number, action in
            guard case .mock(let mock) = action.verb else { return nil }
            let place = MockPlace(rule: position, action: number)
            return PlacedMock(place: place, rule: rule.name, mock: mock)
        }
    }
}
