public import GRDB

/// A filter as a condition on the table `exchange`, plus what SQL cannot decide.
public struct CompiledFilter: Sendable {
    /// For `SELECT … FROM exchange WHERE …`; the table keeps its name. Holds no text of the
    /// filter: every value is a `?`.
    public let sqlCondition: String
    /// The values for the `?`s, in order.
    public let arguments: StatementArguments
    /// What a row that the condition lets through must pass too; nil where SQL decides alone.
    public let residual: FilterPredicate?
    /// What the side file can be asked to find fewer rows.
    let probes: [IndexProbe]
    /// What the search files can be asked.
    let searches: [SearchProbe]
}

/// The part of a filter that needs regular expressions, header fields or decoded bodies.
public struct FilterPredicate: Sendable {
    let expression: FilterExpression

    /// Whether an exchange passes.
    public func matches(_ subject: some FilterSubject) -> Bool { expression.matches(subject) }
}
