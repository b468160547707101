import ProxydFilter
import Testing

/// What a store is given of a filter, whatever its engine.
@Suite struct FilterPlanTests {
    private static func written(
        _ text: String
    ) throws -> (condition: String, residual: FilterPredicate?) {
        let written = try Filter.parse(text).plan.written(in: WordDialect.self)
        return (written.condition.text, written.residual)
    }

    @Test func `a filter is translated to database conditions joined by 'and', 'or' and 'not'`()
        throws
    {
        let (condition, residual) = try Self.written("status=7 (host:a or not port=8)")
        #expect(condition == "(status and (text or not port))")
        #expect(residual == nil)
        #expect(try Self.written("").condition == "all")
        #expect(try Self.written("not ~all").condition == "none")
    }

    @Test
    func `a filter test that the database cannot evaluate selects all rows and is applied later`()
        throws
    {
        for text in ["status=7 body:x", "status=7 not body:x", "status=7 (body:x or port=8)"] {
            let (condition, residual) = try Self.written(text)
            #expect(condition.hasPrefix("(status and "), "\(text)")
            #expect(condition.contains("all"), "\(text)")
            #expect(residual != nil, "\(text)")
        }
    }

    @Test func `a negated group of filter tests becomes negated tests in the database condition`()
        throws
    {
        #expect(try Self.written("not (status=7 port=8)").condition == "(not status or not port)")
        #expect(try Self.written("not (status=7 or body:x)").condition == "(not status and all)")
    }

    @Test func `an index may be used only for filter tests that every matching exchange must pass`()
        throws
    {
        let plan = try Filter.parse("status=7 (port=8 host=a) (id=1 or id=2) not id=3").plan
        #expect(plan.requiredTests.map(WordDialect.name) == ["status", "port", "text"])
    }
}

/// An engine that decides everything but bodies, and writes words.
private enum WordDialect: FilterDialect {
    static func condition(for test: FilterTest) -> WordCondition {
        if case .text(.body, _) = test { return WordCondition(text: "all", isExact: false) }
        return WordCondition(text: name(test), isExact: true)
    }

    static func name(_ test: FilterTest) -> String {
        switch test {
        case .number(let column, _): "\(column)"
        case .text: "text"
        case .isMarked: "marked"
        case .closeCode: "close"
        }
    }
}

private struct WordCondition: FilterCondition {
    var text: String
    var isExact: Bool

    static let all = WordCondition(text: "all", isExact: true)
    static let none = WordCondition(text: "none", isExact: true)

    var negated: WordCondition {
        isExact ? WordCondition(text: "not \(text)", isExact: true) : self
    }

    static func conjunction(_ parts: [WordCondition]) -> WordCondition { joined(parts, "and", all) }

    static func disjunction(_ parts: [WordCondition]) -> WordCondition { joined(parts, "or", none) }

    private static func joined(
        _ parts: [WordCondition], _ word: String, _ nothing: WordCondition
    ) -> WordCondition {
        guard parts.count != 1 else { return parts[0] }
        guard !parts.isEmpty else { return nothing }
        let text = parts.map(\.text).joined(separator: " \(word) ")
        return WordCondition(text: "(\(text))", isExact: parts.allSatisfy(\.isExact))
    }
}
