import ProxydHTTPModel
import ProxydRules
import Testing

struct RulePhaseTests {
    @Test func `phases are named as in a rules file`() {
        #expect(RulePhase.allCases.map(\.rawValue) == ["connect", "request", "response"])
    }
}
