internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

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
    func compile() -> CompiledFilter {
        let plan = plan
        let (condition, residual) = plan.written(in: SQLiteDialect.self)
        return CompiledFilter(
            sqlCondition: condition.sql, arguments: condition.arguments,
            residual: residual, probes: IndexProbe.probes(for: plan.requiredTests),
            searches: SearchProbe.probes(for: plan.requiredTests))
    }
}

typealias SQLiteFragment = SQLFragment<SQLiteDialect>

/// Writes the tests of a filter as SQL on the store's tables.
enum SQLiteDialect: SQLDialect {
    static let argument = "?"
    static let always = "1"
    static let never = "0"
    static let limitsDepth = true
    static let like = "LIKE"
    static let ifNull = "ifnull"
    static let spokenProtocol = ExchangeProtocol.sql("exchange")

    static func value(_ number: Int64) -> SQLValue { .integer(number) }
    static func value(_ bytes: [UInt8]) -> SQLValue { .blob(bytes) }

    static func condition(for test: FilterTest) -> SQLiteFragment {
        switch test {
        case .number(let column, let range): return compare(column.sqlExpression, range)
        case .isMarked:
            return SQLiteFragment(
                """
                (EXISTS (SELECT 1 FROM annotation WHERE exchange_id = exchange.id \
                AND (pinned = 1 OR note IS NOT NULL)) \
                OR EXISTS (SELECT 1 FROM tag WHERE exchange_id = exchange.id))
                """)
        case .closeCode(let range): return closeCode(range)
        case .text(let target, let match): return fragment(for: target, match)
        }
    }

    private static func fragment(
        for target: FilterTarget, _ match: FilterTextMatch
    ) -> SQLiteFragment {
        switch target {
        case .columns(let columns):
            return .disjunction(columns.map { fragment(for: $0.sqlExpression, match) })
        case .digits(let column):
            return fragment(for: "CAST(\(column.sqlExpression) AS TEXT)", match)
        case .authority: return fragment(for: "exchange.host || ':' || exchange.port", match)
        case .tag: return rows("FROM tag WHERE exchange_id = exchange.id AND ", "tag", [], match)
        case .rule: return rule(match)
        case .parameter(let name):
            return rows(
                "FROM parameter WHERE exchange_id = exchange.id AND name = ? AND ",
                "ifnull(value, '')", [.text(name)], match)
        case .header, .headerLine: return .undecided
        case .trailer: return trailers
        case .body(let sides): return body(sides)
        case .responseJSON: return body([.response])
        case .messages(let messages, _): return exist(messages)
        case .grpcMessage:
            return SQLiteFragment("exchange.request_type LIKE 'application/grpc%'", isExact: false)
        case .graphQL(.name): return oneLine(of: "exchange.graphql_operation", match)
        case .graphQL(.type): return oneLine(of: "exchange.graphql_type", match)
        }
    }

    /// Contains and equals work on any text expression; regular expressions are left to the
    /// predicate.
    static func fragment(for text: String, _ match: FilterTextMatch) -> SQLiteFragment {
        switch match {
        // Not LIKE: it has wildcards to escape, a length limit, and stops at NUL.
        case .contains(let search):
            return SQLiteFragment("instr(lower(\(text)), ?) > 0", [.text(search.needleText)])
        case .equals(let wanted): return SQLiteFragment("\(text) = ?", [.text(wanted)])
        case .isHost(let name):
            let spellings = [name, name.isEmpty ? name : name + "."]
            return SQLiteFragment("lower(\(text)) IN (?, ?)", spellings.map { .text($0) })
        case .regex: return .undecided
        }
    }

    static func hasLine(_ text: String, _ line: String) -> SQLiteFragment {
        SQLiteFragment(
            "instr(char(10) || \(text) || char(10), char(10) || ? || char(10)) > 0", [.text(line)])
    }

    private static func rows(
        _ head: String, _ text: String, _ arguments: [SQLValue], _ match: FilterTextMatch
    ) -> SQLiteFragment {
        let condition = fragment(for: text, match)
        guard condition.isExact else { return .undecided }
        return SQLiteFragment(
            "EXISTS (SELECT 1 \(head)\(condition.sql))", arguments + condition.arguments)
    }

    /// A flag marks the exchanges that rules applied to, so that the rules of others are not read.
    private static func rule(_ match: FilterTextMatch) -> SQLiteFragment {
        let flag = ExchangeFlags.appliedRules.rawValue
        let hasAny = SQLiteFragment("exchange.flags & \(flag) <> 0")
        let condition = rows(
            "FROM applied_rule WHERE exchange_id = exchange.id AND ", "rule", [], match)
        return .conjunction([condition.isExact ? hasAny : hasAny.asPrefilter, condition])
    }

    /// Only the predicate reads trailer sections, but few exchanges have any.
    private static let trailers = SQLiteFragment(
        """
        EXISTS (SELECT 1 FROM content WHERE exchange_id = exchange.id \
        AND (request_trailers IS NOT NULL OR response_trailers IS NOT NULL))
        """, isExact: false)

    static func hasMessage(_ conditions: [String], _ arguments: [SQLValue]) -> SQLiteFragment {
        let all = ([ofExchange] + conditions).joined(separator: " AND ")
        return SQLiteFragment("EXISTS (SELECT 1 FROM message WHERE \(all))", arguments)
    }

    /// Selects the messages of the row of `exchange`, except those whose keys would belong to
    /// another exchange.
    static let ofExchange = """
        exchange.id >= \(Schema.ChunkKey.exchangeIDs.lowerBound) \
        AND exchange.id < \(Schema.ChunkKey.exchangeIDs.upperBound) \
        AND key BETWEEN exchange.id << \(Schema.ChunkKey.exchangeShift) \
        AND (exchange.id << \(Schema.ChunkKey.exchangeShift)) + \(Schema.MessageKey.positionMax)
        """
}
