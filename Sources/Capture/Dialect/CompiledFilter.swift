internal import ProxydFilter

/// A filter as a condition on the table `exchange`, plus what SQL cannot decide.
struct CompiledFilter: Sendable {
    /// For `SELECT … FROM exchange WHERE …`; the table keeps its name. Holds no text of the
    /// filter: every value is a `?`.
    let sqlCondition: String
    /// The values for the `?`s, in order.
    let arguments: [SQLValue]
    /// What a row that the condition lets through must pass too; nil where SQL decides alone.
    let residual: FilterPredicate?
    /// What the index file can be asked to find fewer rows.
    let probes: [IndexProbe]
    /// What the search files can be asked.
    let searches: [SearchProbe]
}

extension Filter {
    /// The filter as SQL for the store, and what SQL cannot decide.
    func compile() -> CompiledFilter {
        let plan = plan
        let (condition, residual) = plan.written(in: SQLiteDialect.self)
        return CompiledFilter(
            sqlCondition: condition.sql, arguments: condition.arguments,
            residual: residual, probes: IndexProbe.probes(for: plan.requiredTests),
            searches: SearchProbe.probes(for: plan.requiredTests))
    }
}
