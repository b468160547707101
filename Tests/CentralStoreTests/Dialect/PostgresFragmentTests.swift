import ProxydCaptureModel
import Testing

@testable import ProxydCentralStore

/// Conditions in SQL and how they are joined.
@Suite struct PostgresFragmentTests {
    private let one = PostgresFragment("a = \u{1}", [.integer(1)])
    private let two = PostgresFragment("b BETWEEN \u{1} AND \u{1}", [.null, .text("x")])
    private let rough = PostgresFragment("c", isExact: false)

    private func expect(
        _ fragment: PostgresFragment, _ sql: String, _ arguments: [CentralValue] = [],
        isExact: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(fragment.numbered() == sql, sourceLocation: sourceLocation)
        #expect(fragment.arguments == arguments, sourceLocation: sourceLocation)
        #expect(fragment.isExact == isExact, sourceLocation: sourceLocation)
    }

    @Test func `SQL conditions are combined by AND or OR in order, together with their arguments`()
    {
        expect(
            .conjunction([one, two]), "(a = $1 AND b BETWEEN $2 AND $3)",
            [.integer(1), .null, .text("x")], isExact: true)
        expect(
            .disjunction([two, .all, one]), "(b BETWEEN $1 AND $2 OR true OR a = $3)",
            [.null, .text("x"), .integer(1)], isExact: true)
        expect(
            .disjunction([one, .conjunction([one, rough])]),
            "(a = $1 OR (a = $2 AND c))", [.integer(1), .integer(1)], isExact: false)
    }

    @Test func `combining no SQL conditions gives true for AND and false for OR`() {
        expect(.conjunction([one]), "a = $1", [.integer(1)], isExact: true)
        expect(.disjunction([rough]), "c", isExact: false)
        expect(.conjunction([]), "true", isExact: true)
        expect(.disjunction([]), "false", isExact: true)
    }

    @Test func `a combined SQL condition is inexact if any of its parts is inexact`() {
        for parts in [[rough, one], [one, rough], [.undecided, .none]] {
            #expect(!PostgresFragment.conjunction(parts).isExact)
            #expect(!PostgresFragment.disjunction(parts).isExact)
        }
    }

    @Test func `negating an exact SQL condition also matches rows where it is NULL`() {
        expect(one.negated, "NOT coalesce(a = $1, false)", [.integer(1)], isExact: true)
        expect(
            one.negated.negated, "NOT coalesce(NOT coalesce(a = $1, false), false)",
            [.integer(1)], isExact: true)
    }

    @Test func `negating an inexact SQL condition matches every row`() {
        expect(rough.negated, "true", isExact: false)
        expect(two.asPrefilter.negated, "true", isExact: false)
        expect(
            PostgresFragment.conjunction([one, rough]).negated, "true", isExact: false)
        expect(PostgresFragment.undecided.negated, "true", isExact: false)
    }

    @Test func `turning an SQL condition into a prefilter only marks it as inexact`() {
        expect(
            two.asPrefilter, "b BETWEEN $1 AND $2", [.null, .text("x")], isExact: false)
    }

    @Test func `SQL placeholders are numbered after the preceding arguments`() {
        #expect(two.numbered(after: 2) == "b BETWEEN $3 AND $4")
        let many = PostgresFragment.conjunction(Array(repeating: one, count: 12))
        #expect(many.numbered().hasSuffix(" AND a = $9 AND a = $10 AND a = $11 AND a = $12)"))
        #expect(many.numbered(after: 98).hasPrefix("(a = $99 AND a = $100 AND "))
        #expect(PostgresFragment("a\u{1}\u{1}b").numbered() == "a$1$2b")
        #expect(PostgresFragment.all.numbered(after: 7) == "true")
    }
}
