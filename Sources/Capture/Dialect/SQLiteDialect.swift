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

/// Writes the tests of a filter as SQL on the store's tables.
enum SQLiteDialect: FilterDialect {
    static func condition(for test: FilterTest) -> SQLFragment {
        switch test {
        case .number(let column, let range): return fragment(for: column, range)
        case .isMarked:
            return SQLFragment(
                """
                (EXISTS (SELECT 1 FROM annotation WHERE exchange_id = exchange.id \
                AND (pinned = 1 OR note IS NOT NULL)) \
                OR EXISTS (SELECT 1 FROM tag WHERE exchange_id = exchange.id))
                """)
        case .closeCode(let range): return MessageSQL.closeCode(range)
        case .text(let target, let match): return fragment(for: target, match)
        }
    }

    private static func fragment(
        for column: FilterNumberColumn, _ range: FilterNumberRange
    ) -> SQLFragment {
        let expression = column.sqlExpression
        let lower = SQLValue.integer(range.lower)
        let upper = SQLValue.integer(range.upper)
        if range.lower == range.upper { return .on(expression, " = ?", [lower]) }
        switch (range.lower == .min, range.upper == .max) {
        case (true, true): return .on(expression, " IS NOT NULL", [])
        case (true, false): return .on(expression, " <= ?", [upper])
        case (false, true): return .on(expression, " >= ?", [lower])
        case (false, false): return .on(expression, " BETWEEN ? AND ?", [lower, upper])
        }
    }

    private static func fragment(
        for target: FilterTarget, _ match: FilterTextMatch
    ) -> SQLFragment {
        switch target {
        case .columns(let columns):
            return .disjunction(columns.map { fragment(for: $0.sqlExpression, match) })
        case .digits(let column):
            return fragment(for: "CAST(\(column.sqlExpression) AS TEXT)", match)
        case .authority:
            return fragment(for: "exchange.host || ':' || exchange.port", match)
        case .tag:
            return rows("FROM tag WHERE exchange_id = exchange.id AND ", "tag", [], match)
        case .rule: return rule(match)
        case .parameter(let name):
            return rows(
                "FROM parameter WHERE exchange_id = exchange.id AND name = ? AND ",
                "ifnull(value, '')", [.text(name)], match)
        case .header, .headerLine: return .undecided
        case .trailer: return trailers
        case .body(let sides): return body(sides)
        case .responseJSON: return body([.response])
        case .messages(let messages, _): return MessageSQL.exist(messages)
        case .grpcMessage:
            return SQLFragment(
                "exchange.request_type LIKE 'application/grpc%'", isExact: false)
        case .graphQL(.name): return oneLine(of: "exchange.graphql_operation", match)
        case .graphQL(.type): return oneLine(of: "exchange.graphql_type", match)
        }
    }

    /// Contains and equals work on any text expression; regular expressions are left to the
    /// predicate.
    private static func fragment(for text: String, _ match: FilterTextMatch) -> SQLFragment {
        switch match {
        // Not LIKE: it has wildcards to escape, a length limit, and stops at NUL.
        case .contains(let search):
            return .wrap("instr(lower(", text, "), ?) > 0", [.text(search.needleText)])
        case .equals(let wanted): return .on(text, " = ?", [.text(wanted)])
        case .isHost(let name):
            let spellings = [name, name.isEmpty ? name : name + "."]
            return .wrap("lower(", text, ") IN (?, ?)", spellings.map { .text($0) })
        case .regex: return .undecided
        }
    }

    /// Tests one line of a multi-line text; the lines themselves never contain line breaks.
    private static func oneLine(of text: String, _ match: FilterTextMatch) -> SQLFragment {
        switch match {
        case .contains(let search):
            return search.needleText.utf8.contains(0x0A) ? .none : fragment(for: text, match)
        case .equals(let wanted):
            guard !wanted.utf8.contains(0x0A) else { return .none }
            return .wrap(
                "instr(char(10) || ", text, " || char(10), char(10) || ? || char(10)) > 0",
                [.text(wanted)])
        case .regex, .isHost: return .on(text, " IS NOT NULL", []).asPrefilter
        }
    }

    private static func rows(
        _ head: StaticString, _ text: String, _ arguments: [SQLValue],
        _ match: FilterTextMatch
    ) -> SQLFragment {
        let condition = fragment(for: text, match)
        guard condition.isExact else { return .undecided }
        return .wrap(
            "EXISTS (SELECT 1 ", head.description + condition.sql, ")",
            arguments + condition.arguments)
    }

    /// A flag marks the exchanges that rules applied to, so that the rules of others are not read.
    private static func rule(_ match: FilterTextMatch) -> SQLFragment {
        let flag = ExchangeFlags.appliedRules.rawValue
        let hasAny = SQLFragment.on("exchange.flags & \(flag)", " <> 0", [])
        let condition = rows(
            "FROM applied_rule WHERE exchange_id = exchange.id AND ", "rule", [], match)
        return .conjunction([condition.isExact ? hasAny : hasAny.asPrefilter, condition])
    }

    /// Only the predicate reads trailer sections, but few exchanges have any.
    private static let trailers = SQLFragment(
        """
        EXISTS (SELECT 1 FROM content WHERE exchange_id = exchange.id \
        AND (request_trailers IS NOT NULL OR response_trailers IS NOT NULL))
        """, isExact: false)

    /// Only the predicate reads bodies, but rows without a body are excluded here.
    private static func body(_ sides: [FilterSide]) -> SQLFragment {
        let kept = SQLFragment.disjunction(
            sides.map {
                $0 == .request
                    ? SQLFragment("exchange.request_kept_bytes > 0", isExact: false)
                    : SQLFragment("exchange.response_kept_bytes > 0", isExact: false)
            })
        return kept
    }
}

/// Tests of messages as SQL on the table `message`.
enum MessageSQL {
    /// A condition for exchanges that have messages of a kind. Their contents are left to the
    /// predicate, because SQLite texts end at a NUL, and messages of event streams and gRPC calls
    /// are stored as part of a body.
    static func exist(_ messages: FilterMessages) -> SQLFragment {
        var condition = ofExchange
        if let kinds = messages.kinds {
            let list = kinds.map { "\($0.rawValue)" }.joined(separator: ", ")
            condition += " AND kind IN (\(list))"
        }
        if let direction = messages.direction {
            condition += " AND direction = \(direction.rawValue)"
        }
        return .wrap("EXISTS (SELECT 1 FROM message WHERE ", condition, ")", []).asPrefilter
    }

    /// A condition on the close code of a WebSocket, the first two bytes of its close frame: 1005
    /// if the frame has no code, 1006 if there is no close frame.
    static func closeCode(_ range: FilterNumberRange) -> SQLFragment {
        let lower = max(range.lower, 0)
        let upper = min(range.upper, 0xFFFF)
        guard lower <= upper else { return .none }
        var parts = [coded(lower, upper)]
        if range.contains(1_005) {
            let isBare = "kind = \(closeKind) AND ifnull(length(octets), 0) < 2"
            parts.append(
                .wrap(
                    "EXISTS (SELECT 1 FROM message WHERE ", "\(ofExchange) AND \(isBare)", ")", []))
        }
        if range.contains(1_006) {
            let isOver = "exchange.state <> 0 AND \(ExchangeProtocol.sql("exchange")) = 'ws'"
            parts.append(
                .wrap(
                    "(NOT EXISTS (SELECT 1 FROM message WHERE ",
                    "\(ofExchange) AND kind = \(closeKind)) AND \(isOver)", ")", []))
        }
        return .disjunction(parts)
    }

    private static func coded(_ lower: Int64, _ upper: Int64) -> SQLFragment {
        let hasCode = "kind = \(closeKind) AND length(octets) >= 2"
        return .wrap(
            "EXISTS (SELECT 1 FROM message WHERE ",
            "\(ofExchange) AND \(hasCode) AND substr(octets, 1, 2) BETWEEN ? AND ?", ")",
            [.blob(bytes(lower)), .blob(bytes(upper))])
    }

    private static func bytes(_ code: Int64) -> [UInt8] {
        [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
    }

    private static let closeKind = MessageRecord.Kind.close.rawValue

    /// Selects the messages of the row of `exchange`, except those whose keys would belong to
    /// another exchange.
    static let ofExchange = """
        exchange.id >= \(Schema.ChunkKey.exchangeIDs.lowerBound) \
        AND exchange.id < \(Schema.ChunkKey.exchangeIDs.upperBound) \
        AND key BETWEEN exchange.id << \(Schema.ChunkKey.exchangeShift) \
        AND (exchange.id << \(Schema.ChunkKey.exchangeShift)) + \(Schema.MessageKey.positionMax)
        """
}

/// A condition in SQL. An exact one decides alone; others let through at least every matching row.
struct SQLFragment: FilterCondition {
    let sql: String
    let arguments: [SQLValue]
    let isExact: Bool

    /// The type makes the text static, and the expressions below come from the column enums: user
    /// input can never become SQL, only an argument.
    init(_ sql: StaticString, _ arguments: [SQLValue] = [], isExact: Bool = true) {
        self.init(text: sql.description, arguments, isExact: isExact)
    }

    private init(text: String, _ arguments: [SQLValue], isExact: Bool) {
        sql = text
        self.arguments = arguments
        self.isExact = isExact
    }

    /// Lets all rows through and leaves the decision to the predicate.
    static let undecided = SQLFragment("1", isExact: false)
    static let all = SQLFragment("1")
    static let none = SQLFragment("0")

    /// Joins an expression and a fixed suffix, such as `host` and ` = ?`.
    static func on(
        _ expression: String, _ rest: StaticString, _ arguments: [SQLValue]
    ) -> SQLFragment {
        SQLFragment(text: expression + rest.description, arguments, isExact: true)
    }

    /// Wraps an expression in a function call, such as `instr(lower(host), ?) > 0`.
    static func wrap(
        _ head: StaticString, _ expression: String, _ tail: StaticString,
        _ arguments: [SQLValue]
    ) -> SQLFragment {
        let text = head.description + expression + tail.description
        return SQLFragment(text: text, arguments, isExact: true)
    }

    /// The same condition, marked as inexact: rows that satisfy it still need the predicate.
    var asPrefilter: SQLFragment { SQLFragment(text: sql, arguments, isExact: false) }

    /// The negation; NULL, for a row that lacks the tested value, counts as false.
    var negated: SQLFragment {
        guard isExact else { return .undecided }
        return SQLFragment(text: "NOT ifnull(\(sql), 0)", arguments, isExact: true)
    }

    static func conjunction(_ parts: [SQLFragment]) -> SQLFragment {
        join(parts[...], with: " AND ") ?? .all
    }

    static func disjunction(_ parts: [SQLFragment]) -> SQLFragment {
        join(parts[...], with: " OR ") ?? .none
    }

    /// Joins the fragments as a balanced tree, because SQLite limits the depth of an expression.
    private static func join(
        _ parts: ArraySlice<SQLFragment>, with joiner: StaticString
    ) -> SQLFragment? {
        guard parts.count > 1 else { return parts.first }
        let middle = parts.startIndex + parts.count / 2
        guard let left = join(parts[..<middle], with: joiner),
            let right = join(parts[middle...], with: joiner)
        else { return nil }
        return SQLFragment(
            text: "(\(left.sql)\(joiner)\(right.sql))", left.arguments + right.arguments,
            isExact: left.isExact && right.isExact)
    }
}
