internal import ProxydCaptureModel
internal import ProxydFilter

/// A filter as a condition on `exchange`, plus the tests that PostgreSQL cannot decide.
struct CentralQuery {
    let condition: PostgresFragment
    /// A predicate that rows must also satisfy, or nil if the condition decides alone.
    let residual: FilterPredicate?

    init(_ filter: Filter) { (condition, residual) = filter.plan.written(in: PostgresDialect.self) }

    private init(condition: PostgresFragment, residual: FilterPredicate?) {
        self.condition = condition
        self.residual = residual
    }

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

typealias PostgresFragment = SQLFragment<PostgresDialect>

/// Writes the tests of a filter as PostgreSQL's SQL on the tables of a central store.
enum PostgresDialect: SQLDialect {
    /// A placeholder of an argument until the whole statement is known and they can be numbered. It
    /// occurs in no other text, because none comes from users.
    static let argument = "\u{1}"
    static let always = "true"
    static let never = "false"
    static let limitsDepth = false
    static let like = "ILIKE"
    static let ifNull = "coalesce"
    static let spokenProtocol = CentralViews.protocolSQL("exchange")

    static func value(_ number: Int64) -> CentralValue { .integer(number) }
    static func value(_ bytes: [UInt8]) -> CentralValue { .bytes(bytes) }

    static func condition(for test: FilterTest) -> PostgresFragment {
        switch test {
        case .number(let column, let range): return fragment(for: column, range)
        case .isMarked:
            return PostgresFragment(
                "(exchange.pinned OR exchange.note IS NOT NULL OR exchange.tags <> '{}')")
        case .closeCode(let range): return closeCode(range)
        case .text(let target, let match): return fragment(for: target, match)
        }
    }

    // MARK: Numbers

    private static func fragment(
        for column: FilterNumberColumn, _ range: FilterNumberRange
    ) -> PostgresFragment {
        let condition = compare(column.centralExpression, range)
        guard column == .started else { return condition }
        // Days that cannot match are not searched.
        let days = [
            range.lower == .min
                ? nil
                : PostgresFragment(
                    "exchange.started_at >= \(argument)",
                    [.timestamp(CentralTime.microseconds(ns: range.lower))]),
            range.upper == .max
                ? nil
                : PostgresFragment(
                    "exchange.started_at <= \(argument)",
                    [.timestamp(CentralTime.microseconds(ns: range.upper))]),
        ]
        return .conjunction([condition] + days.compactMap { $0 })
    }

    // MARK: Texts

    private static func fragment(
        for target: FilterTarget, _ match: FilterTextMatch
    ) -> PostgresFragment {
        switch target {
        case .columns(let columns): return .disjunction(columns.map { fragment(for: $0, match) })
        case .digits(let column): return fragment(for: "\(column.centralExpression)::text", match)
        case .authority: return fragment(for: "(exchange.host || ':' || exchange.port)", match)
        case .tag: return elements(of: "exchange.tags", match)
        case .rule: return elements(of: "exchange.rules", match)
        case .parameter(let name): return parameter(name, match)
        case .header, .headerLine: return .undecided
        case .trailer:
            return part(
                "content", "(request_trailers IS NOT NULL OR response_trailers IS NOT NULL)"
            ).asPrefilter
        case .body(let sides):
            return .conjunction([body(sides), BodyTextSQL.prefilter(sides, match)])
        case .responseJSON: return body([.response])
        case .messages(let messages, _): return exist(messages)
        case .grpcMessage:
            return PostgresFragment(
                "exchange.request_type ILIKE 'application/grpc%'", isExact: false)
        case .graphQL(.name): return oneLine(of: "exchange.graphql_operation", match)
        case .graphQL(.type): return oneLine(of: "exchange.graphql_type", match)
        }
    }

    /// URLs have an index of trigrams, which only LIKE uses.
    private static func fragment(
        for column: FilterTextColumn, _ match: FilterTextMatch
    ) -> PostgresFragment {
        guard column == .url, case .contains(let search) = match, isKept(search.needleText) else {
            return fragment(for: column.centralExpression, match)
        }
        // By scalars: a wildcard with a combining mark is one character, and still a wildcard.
        var escaped = String.UnicodeScalarView()
        for scalar in search.needleText.unicodeScalars {
            if ["\\", "%", "_"].contains(scalar) { escaped.append("\\") }
            escaped.append(scalar)
        }
        return PostgresFragment(
            "lower(\(CentralSchema.url)) LIKE \(argument)", [.text("%" + String(escaped) + "%")])
    }

    /// Contains and equals work on any text expression; regular expressions are left to the
    /// predicate.
    static func fragment(for text: String, _ match: FilterTextMatch) -> PostgresFragment {
        switch match {
        case .contains(let search):
            return kept(
                search.needleText,
                PostgresFragment(
                    "position(\(argument) in lower(\(text))) > 0", [.text(search.needleText)]))
        case .equals(let wanted):
            return kept(wanted, PostgresFragment("\(text) = \(argument)", [.text(wanted)]))
        case .isHost(let name):
            let spellings = [name, name.isEmpty ? name : name + "."].map { CentralValue.text($0) }
            // The index has the first characters only.
            return kept(
                name,
                PostgresFragment(
                    "(left(lower(\(text)), 256) "
                        + "IN (left(\(argument), 256), left(\(argument), 256)) "
                        + "AND lower(\(text)) IN (\(argument), \(argument)))",
                    spellings + spellings))
        case .regex: return .undecided
        }
    }

    /// Whether PostgreSQL stores a text unchanged: it has no U+0000, which is stored as U+2400.
    private static func isKept(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.value == 0 || $0.value == 0x2400 }
    }

    private static func kept(_ text: String, _ fragment: PostgresFragment) -> PostgresFragment {
        isKept(text) ? fragment : fragment.asPrefilter
    }

    private static func elements(of array: String, _ match: FilterTextMatch) -> PostgresFragment {
        let condition = fragment(for: "one.element", match)
        guard condition.isExact else { return PostgresFragment("\(array) <> '{}'", isExact: false) }
        return PostgresFragment(
            "EXISTS (SELECT 1 FROM unnest(\(array)) AS one(element) WHERE \(condition.sql))",
            condition.arguments)
    }

    private static func parameter(_ name: String, _ match: FilterTextMatch) -> PostgresFragment {
        let value = fragment(for: "coalesce(parameter.value, '')", match)
        // The index has the first characters only.
        var condition =
            "left(parameter.name, 128) = left(\(argument), 128) "
            + "AND parameter.name = \(argument) AND \(value.sql)"
        var arguments = [.text(name), .text(name)] + value.arguments
        if case .equals(let wanted) = match, !wanted.isEmpty {
            condition += " AND left(parameter.value, 128) = left(\(argument), 128)"
            arguments.append(.text(wanted))
        }
        let found = part("parameter", condition, arguments)
        return value.isExact && isKept(name) ? found : found.asPrefilter
    }

    /// A condition for exchanges that have a row in another table.
    private static func part(
        _ table: String, _ condition: String, _ arguments: [CentralValue] = []
    ) -> PostgresFragment {
        PostgresFragment(
            """
            EXISTS (SELECT 1 FROM \(table) WHERE \(table).started_at = exchange.started_at \
            AND \(table).exchange_id = exchange.id AND \(condition))
            """, arguments)
    }

    static func hasLine(_ text: String, _ line: String) -> PostgresFragment {
        kept(
            line,
            PostgresFragment(
                "position(chr(10) || \(argument) || chr(10) in chr(10) || \(text) || chr(10)) > 0",
                [.text(line)]))
    }

    static func hasMessage(
        _ conditions: [String], _ arguments: [CentralValue]
    ) -> PostgresFragment {
        let all = conditions.isEmpty ? always : conditions.joined(separator: " AND ")
        return part("message", all, arguments)
    }
}

extension PostgresFragment {
    /// The text with `$1`, `$2`, … for its arguments, after some that precede it.
    func numbered(after count: Int = 0) -> String {
        var text = ""
        var number = count
        for character in sql {
            if String(character) == PostgresDialect.argument {
                number += 1
                text += "$\(number)"
            } else {
                text.append(character)
            }
        }
        return text
    }
}
