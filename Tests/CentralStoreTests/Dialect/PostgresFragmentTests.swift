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

    @Test func `parts are joined in their order, with their arguments`() {
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

    @Test func `a single part is itself, and nothing is all or nothing`() {
        expect(.conjunction([one]), "a = $1", [.integer(1)], isExact: true)
        expect(.disjunction([rough]), "c", isExact: false)
        expect(.conjunction([]), "true", isExact: true)
        expect(.disjunction([]), "false", isExact: true)
    }

    @Test func `one inexact part makes the whole inexact`() {
        for parts in [[rough, one], [one, rough], [.undecided, .none]] {
            #expect(!PostgresFragment.conjunction(parts).isExact)
            #expect(!PostgresFragment.disjunction(parts).isExact)
        }
    }

    @Test func `an exact condition is negated, also for rows without a value`() {
        expect(one.negated, "NOT coalesce(a = $1, false)", [.integer(1)], isExact: true)
        expect(
            one.negated.negated, "NOT coalesce(NOT coalesce(a = $1, false), false)",
            [.integer(1)], isExact: true)
    }

    @Test func `the opposite of an inexact condition lets everything through`() {
        expect(rough.negated, "true", isExact: false)
        expect(two.asPrefilter.negated, "true", isExact: false)
        expect(
            PostgresFragment.conjunction([one, rough]).negated, "true", isExact: false)
        expect(PostgresFragment.undecided.negated, "true", isExact: false)
    }

    @Test func `a prefilter is the same condition`() {
        expect(
            two.asPrefilter, "b BETWEEN $1 AND $2", [.null, .text("x")], isExact: false)
    }

    @Test func `placeholders are numbered after those that precede`() {
        #expect(two.numbered(after: 2) == "b BETWEEN $3 AND $4")
        let many = PostgresFragment.conjunction(Array(repeating: one, count: 12))
        #expect(many.numbered().hasSuffix(" AND a = $9 AND a = $10 AND a = $11 AND a = $12)"))
        #expect(many.numbered(after: 98).hasPrefix("(a = $99 AND a = $100 AND "))
        #expect(PostgresFragment("a\u{1}\u{1}b").numbered() == "a$1$2b")
        #expect(PostgresFragment.all.numbered(after: 7) == "true")
    }
}
