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

/// Writes the tests of a filter as PostgreSQL's SQL on the tables of a central store.
enum PostgresDialect: FilterDialect {
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
                    "exchange.started_at >= \(PostgresFragment.argument)",
                    [.timestamp(CentralTime.microseconds(ns: range.lower))]),
            range.upper == .max
                ? nil
                : PostgresFragment(
                    "exchange.started_at <= \(PostgresFragment.argument)",
                    [.timestamp(CentralTime.microseconds(ns: range.upper))]),
        ]
        return .conjunction([condition] + days.compactMap { $0 })
    }

    private static func compare(
        _ expression: String, _ range: FilterNumberRange
    ) -> PostgresFragment {
        let argument = PostgresFragment.argument
        let lower = CentralValue.integer(range.lower)
        let upper = CentralValue.integer(range.upper)
        if range.lower == range.upper {
            return PostgresFragment("\(expression) = \(argument)", [lower])
        }
        switch (range.lower == .min, range.upper == .max) {
        case (true, true): return PostgresFragment("\(expression) IS NOT NULL")
        case (true, false): return PostgresFragment("\(expression) <= \(argument)", [upper])
        case (false, true): return PostgresFragment("\(expression) >= \(argument)", [lower])
        case (false, false):
            return PostgresFragment(
                "\(expression) BETWEEN \(argument) AND \(argument)", [lower, upper])
        }
    }

    // MARK: Texts

    private static func fragment(
        for target: FilterTarget, _ match: FilterTextMatch
    ) -> PostgresFragment {
        switch target {
        case .columns(let columns):
            return .disjunction(columns.map { fragment(for: $0, match) })
        case .digits(let column):
            return fragment(for: "\(column.centralExpression)::text", match)
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
            "lower(\(CentralSchema.url)) LIKE \(PostgresFragment.argument)",
            [.text("%" + String(escaped) + "%")])
    }

    /// Contains and equals work on any text expression; regular expressions are left to the
    /// predicate.
    private static func fragment(
        for text: String, _ match: FilterTextMatch
    ) -> PostgresFragment {
        let argument = PostgresFragment.argument
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

    private static func elements(
        of array: String, _ match: FilterTextMatch
    ) -> PostgresFragment {
        let condition = fragment(for: "one.element", match)
        guard condition.isExact else {
            return PostgresFragment("\(array) <> '{}'", isExact: false)
        }
        return PostgresFragment(
            "EXISTS (SELECT 1 FROM unnest(\(array)) AS one(element) WHERE \(condition.sql))",
            condition.arguments)
    }

    private static func parameter(
        _ name: String, _ match: FilterTextMatch
    ) -> PostgresFragment {
        let argument = PostgresFragment.argument
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

    /// Tests one line of a multi-line text; the lines themselves never contain line breaks.
    private static func oneLine(
        of text: String, _ match: FilterTextMatch
    ) -> PostgresFragment {
        switch match {
        case .contains(let search):
            return search.needleText.utf8.contains(0x0A) ? .none : fragment(for: text, match)
        case .equals(let wanted):
            guard !wanted.utf8.contains(0x0A) else { return .none }
            return kept(
                wanted,
                PostgresFragment(
                    "position(chr(10) || \(PostgresFragment.argument) || chr(10) "
                        + "in chr(10) || \(text) || chr(10)) > 0", [.text(wanted)]))
        case .regex, .isHost: return PostgresFragment("\(text) IS NOT NULL", isExact: false)
        }
    }

    /// Only the predicate reads bodies, but rows without a body are excluded here.
    private static func body(_ sides: [FilterSide]) -> PostgresFragment {
        .disjunction(
            sides.map {
                PostgresFragment(
                    $0 == .request
                        ? "exchange.request_kept_bytes > 0" : "exchange.response_kept_bytes > 0",
                    isExact: false)
            })
    }

    // MARK: Messages

    private static func exist(_ messages: FilterMessages) -> PostgresFragment {
        var conditions = ["true"]
        if let kinds = messages.kinds {
            conditions.append(
                "kind IN (\(kinds.map { "\($0.rawValue)" }.joined(separator: ", ")))")
        }
        if let direction = messages.direction {
            conditions.append("direction = \(direction.rawValue)")
        }
        return part("message", conditions.joined(separator: " AND ")).asPrefilter
    }

    /// The close code is the first two bytes of a close frame: 1005 if the frame has none, 1006 if
    /// there is no close frame.
    private static func closeCode(_ range: FilterNumberRange) -> PostgresFragment {
        let lower = max(range.lower, 0)
        let upper = min(range.upper, 0xFFFF)
        guard lower <= upper else { return .none }
        let kind = MessageRecord.Kind.close.rawValue
        let argument = PostgresFragment.argument
        var parts = [
            part(
                "message",
                "kind = \(kind) AND length(octets) >= 2 "
                    + "AND substr(octets, 1, 2) BETWEEN \(argument) AND \(argument)",
                [.bytes(bytes(lower)), .bytes(bytes(upper))])
        ]
        if range.contains(1_005) {
            parts.append(
                part("message", "kind = \(kind) AND coalesce(length(octets), 0) < 2"))
        }
        if range.contains(1_006) {
            let close = part("message", "kind = \(kind)")
            parts.append(
                PostgresFragment(
                    "(NOT \(close.sql) AND exchange.state <> 0 "
                        + "AND \(CentralViews.protocolSQL("exchange")) = 'ws')"))
        }
        return .disjunction(parts)
    }

    private static func bytes(_ code: Int64) -> [UInt8] {
        [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
    }
}

/// A condition in PostgreSQL's SQL. An exact one decides alone; others let through at least every
/// matching row.
struct PostgresFragment: FilterCondition {
    /// A placeholder of an argument until the whole statement is known and they can be numbered. It
    /// occurs in no other text, because none comes from users.
    static let argument: Character = "\u{1}"

    let sql: String
    let arguments: [CentralValue]
    let isExact: Bool

    /// A condition with a `PostgresFragment.argument` for each argument. The text must be fixed:
    /// what users write can only be an argument.
    init(_ sql: String, _ arguments: [CentralValue] = [], isExact: Bool = true) {
        self.sql = sql
        self.arguments = arguments
        self.isExact = isExact
    }

    static let all = PostgresFragment("true")
    static let none = PostgresFragment("false")
    /// Lets all rows through and leaves the decision to the predicate.
    static let undecided = PostgresFragment("true", isExact: false)

    /// The same condition, marked as inexact.
    var asPrefilter: PostgresFragment { PostgresFragment(sql, arguments, isExact: false) }

    /// The negation; NULL, for a row that lacks the tested value, counts as false.
    var negated: PostgresFragment {
        guard isExact else { return .undecided }
        return PostgresFragment("NOT coalesce(\(sql), false)", arguments)
    }

    static func conjunction(_ parts: [PostgresFragment]) -> PostgresFragment {
        join(parts, with: " AND ") ?? .all
    }

    static func disjunction(_ parts: [PostgresFragment]) -> PostgresFragment {
        join(parts, with: " OR ") ?? .none
    }

    private static func join(
        _ parts: [PostgresFragment], with joiner: String
    ) -> PostgresFragment? {
        guard parts.count > 1 else { return parts.first }
        return PostgresFragment(
            "(" + parts.map(\.sql).joined(separator: joiner) + ")", parts.flatMap(\.arguments),
            isExact: parts.allSatisfy(\.isExact))
    }

    /// The text with `$1`, `$2`, … for its arguments, after some that precede it.
    func numbered(after count: Int = 0) -> String {
        var text = ""
        var number = count
        for character in sql {
            if character == PostgresFragment.argument {
                number += 1
                text += "$\(number)"
            } else {
                text.append(character)
            }
        }
        return text
    }
}
