internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// A filter as a condition on `exchange`, plus the tests that PostgreSQL cannot decide.
struct CentralQuery {
    let condition: PostgresFragment
    /// A predicate that rows must also satisfy, or nil if the condition decides alone.
    let residual: FilterPredicate?

    init(_ filter: Filter) {
        (condition, residual) = filter.plan.written(in: PostgresDialect.self)
    }

    private init(condition: PostgresFragment, residual: FilterPredicate?) {
        self.condition = condition
        self.residual = residual
    }

    /// The same filter, restricted by a condition.
    func restricted(by other: PostgresFragment) -> CentralQuery {
        CentralQuery(condition: .conjunction([other, condition]), residual: residual)
    }

    /// A statement with the condition after `WHERE`, and its arguments.
    func statement(
        _ head: String, _ tail: String = "", _ arguments: [CentralValue] = []
    ) -> (sql: String, arguments: [CentralValue]) {
        (
            "\(head) WHERE \(condition.numbered(after: arguments.count)) \(tail)",
            arguments + condition.arguments
        )
    }
}
