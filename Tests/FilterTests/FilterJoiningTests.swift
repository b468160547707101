import ProxydFilter
import Testing

struct FilterJoiningTests {
    @Test(arguments: [
        ("a or b", true), ("a | b c", true), ("(a or b)", true), ("a b", false), ("", false),
        ("not (a or b)", false), ("a (b or c)", false), ("\"or\"", false),
    ])
    func `only a filter with 'or' at its top level needs parentheses when joined to others`(
        _ text: String, _ isAlternative: Bool
    ) throws {
        #expect(try Filter.parse(text).isAlternative == isAlternative)
    }
}
