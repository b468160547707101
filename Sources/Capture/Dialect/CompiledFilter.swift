internal import ProxydFilter
internal import ProxydCaptureModel

/// A filter as an SQL condition on the table `exchange`, plus the tests that SQL cannot decide.
struct CompiledFilter: Sendable {
    /// The condition for `SELECT … FROM exchange WHERE …`; the table must not be aliased. It
    /// contains no text from the filter: every value is a `?`.
    let sqlCondition: String
    /// The values of the `?` placeholders, in order.
    let arguments: [SQLValue]
    /// A predicate that rows matching the condition must also satisfy, or nil if SQL alone decides.
    let residual: FilterPredicate?
    /// Queries to the index file that narrow down the rows.
    let probes: [IndexProbe]
    /// Queries to the search files that narrow down the rows.
    let searches: [SearchProbe]
}

extension Filter {
    /// Compiles the filter to SQL for the store, plus a predicate for the tests SQL cannot decide.
    func compile() -> CompiledFilter {
        let plan = plan
        let (condition, residual) = plan.written(in: SQLiteDialect.self)
        return CompiledFilter(
            sqlCondition: condition.sql, arguments: condition.arguments,
            residual: residual, probes: IndexProbe.probes(for: plan.requiredTests),
            searches: SearchProbe.probes(for: plan.requiredTests))
    }
}
