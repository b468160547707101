import ProxydHTTPModel
import ProxydRules
import Testing

struct RulePhaseTests {
    @Test func `the phases of a rule are named connect, request and response`() {
        #expect(RulePhase.allCases.map(\.rawValue) == ["connect", "request", "response"])
    }
}
