internal import ProxydFilter
internal import ProxydStoreCoding
internal import ProxydCaptureModel

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
