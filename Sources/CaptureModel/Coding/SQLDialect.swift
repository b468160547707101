package import ProxydFilter
internal import ProxydHTTPModel

/// Writes a filter's tests as SQL on the tables of a store; contains what the stores share.
package protocol SQLDialect: FilterDialect where Condition == SQLFragment<Self> {
    /// A value that a statement takes.
    associatedtype Value: Sendable

    /// What is written for an argument in the text of a condition.
    static var argument: String { get }
    static var always: String { get }
    static var never: String { get }
    /// Whether the depth of expressions is limited: many are then joined as a balanced tree.
    static var limitsDepth: Bool { get }
    /// The function that replaces NULL by its second argument.
    static var ifNull: String { get }
    /// The operator LIKE that ignores the case of ASCII letters.
    static var like: String { get }
    /// The value of `ExchangeRow.spokenProtocol`.
    static var spokenProtocol: String { get }

    static func value(_ number: Int64) -> Value
    static func value(_ bytes: [UInt8]) -> Value
    /// A condition on a text, which is an expression on a row of `exchange`.
    static func fragment(for text: String, _ match: FilterTextMatch) -> Condition
    /// Whether a text, which is an expression, has a line that equals another one.
    static func hasLine(_ text: String, _ line: String) -> Condition
    /// Whether the exchange has a message with all of these properties.
    static func hasMessage(_ conditions: [String], _ arguments: [Value]) -> Condition
}

extension SQLDialect {
    package static func compare(_ expression: String, _ range: FilterNumberRange) -> Condition {
        let (lower, upper) = (value(range.lower), value(range.upper))
        if range.lower == range.upper { return Condition("\(expression) = \(argument)", [lower]) }
        switch (range.lower == .min, range.upper == .max) {
        case (true, true): return Condition("\(expression) IS NOT NULL")
        case (true, false): return Condition("\(expression) <= \(argument)", [upper])
        case (false, true): return Condition("\(expression) >= \(argument)", [lower])
        case (false, false):
            return Condition("\(expression) BETWEEN \(argument) AND \(argument)", [lower, upper])
        }
    }

    /// Tests one line of a multi-line text; the lines themselves never contain line breaks.
    package static func oneLine(of text: String, _ match: FilterTextMatch) -> Condition {
        switch match {
        case .contains(let search):
            search.needleText.utf8.contains(0x0A) ? .none : fragment(for: text, match)
        case .equals(let wanted): wanted.utf8.contains(0x0A) ? .none : hasLine(text, wanted)
        case .regex, .isHost: Condition("\(text) IS NOT NULL", isExact: false)
        }
    }

    /// Only the predicate reads bodies, but rows without a body are excluded here.
    package static func body(_ sides: [FilterSide]) -> Condition {
        .disjunction(
            sides.map {
                let column = $0 == .request ? "request_kept_bytes" : "response_kept_bytes"
                return Condition("exchange.\(column) > 0", isExact: false)
            })
    }

    /// A condition for exchanges that have messages of a kind. Their contents are left to the
    /// predicate: texts end at a NUL in SQLite, and messages of event streams and gRPC calls are
    /// stored as part of a body.
    package static func exist(_ messages: FilterMessages) -> Condition {
        hasMessage(messages.conditions, []).asPrefilter
    }

    /// A condition on the close code of a WebSocket, the first two bytes of its close frame: 1005
    /// if the frame has no code, 1006 if there is no close frame.
    package static func closeCode(_ range: FilterNumberRange) -> Condition {
        let (lower, upper) = (max(range.lower, 0), min(range.upper, 0xFFFF))
        guard lower <= upper else { return .none }
        let isClose = "kind = \(MessageRecord.Kind.close.rawValue)"
        let code = "substr(octets, 1, 2) BETWEEN \(argument) AND \(argument)"
        let bounds = [lower, upper].map {
            value([UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)])
        }
        var parts = [hasMessage([isClose, "length(octets) >= 2", code], bounds)]
        if range.contains(1_005) {
            parts.append(hasMessage([isClose, "\(ifNull)(length(octets), 0) < 2"], []))
        }
        if range.contains(1_006) {
            let close = hasMessage([isClose], [])
            parts.append(
                Condition(
                    "(NOT \(close.sql) AND exchange.state <> 0 AND \(spokenProtocol) = 'ws')"))
        }
        return .disjunction(parts)
    }
}

extension FilterMessages {
    /// The kinds and the direction as conditions on a row of `message`.
    package var conditions: [String] {
        var conditions: [String] = []
        if let kinds {
            let list = kinds.map { "\($0.rawValue)" }.joined(separator: ", ")
            conditions.append("kind IN (\(list))")
        }
        if let direction { conditions.append("direction = \(direction.rawValue)") }
        return conditions
    }
}

extension SortColumn {
    /// The value, as an expression on a row of `exchange`. Stores differ in two of them.
    package func expression(time: String, process: String) -> String {
        switch self {
        case .time: time
        case .method: "exchange.method"
        case .host: "exchange.host"
        case .path: "exchange.path"
        case .status: "exchange.status"
        case .type: "exchange.response_type"
        case .size: "exchange.response_body_bytes"
        case .duration: "exchange.duration_ns"
        case .process: process
        }
    }
}

/// Values as expressions on a row of `exchange`.
extension SQLDialect {
    package static var error: String {
        "(exchange.error_origin || ' ' || exchange.error_kind || ': ' || exchange.error)"
    }

    package static var state: String {
        """
        (CASE exchange.state WHEN 0 THEN 'active' WHEN 1 THEN 'complete' WHEN 2 THEN 'failed' \
        WHEN 3 THEN 'tunnel' END)
        """
    }

    /// The service and the method of a gRPC call, as `GRPCPath` splits the path.
    package static var grpcService: String {
        "(CASE WHEN \(isGRPCPath) THEN substr(\(grpcHead), 2, length(\(grpcHead)) - 2) END)"
    }
    package static var grpcMethod: String {
        "(CASE WHEN \(isGRPCPath) THEN substr(exchange.path, length(\(grpcHead)) + 1) END)"
    }
    /// The path up to its last slash.
    private static var grpcHead: String { "rtrim(exchange.path, replace(exchange.path, '/', ''))" }
    private static var isGRPCPath: String {
        "exchange.request_type \(like) 'application/grpc%' AND exchange.path LIKE '/%/%'"
    }

    /// The same names as `GRPCStatus.name`.
    /// - Parameter number: The number as text, for a status without a name.
    package static func grpcStatus(_ number: String) -> String {
        let names = GRPCStatus.defined.map { "WHEN \($0.number) THEN '\($0.name)'" }
        return "CASE exchange.grpc_status \(names.joined(separator: " ")) ELSE \(number) END"
    }
}

/// A condition in SQL. An exact one decides alone; others let through at least every matching row.
package struct SQLFragment<Dialect: SQLDialect>: FilterCondition {
    /// The text, with the dialect's placeholder for each argument.
    package let sql: String
    package let arguments: [Dialect.Value]
    package let isExact: Bool

    /// The text must be fixed: what users write can only be an argument.
    package init(_ sql: String, _ arguments: [Dialect.Value] = [], isExact: Bool = true) {
        self.sql = sql
        self.arguments = arguments
        self.isExact = isExact
    }

    package static var all: SQLFragment { SQLFragment(Dialect.always) }
    package static var none: SQLFragment { SQLFragment(Dialect.never) }
    /// Lets all rows through and leaves the decision to the predicate.
    package static var undecided: SQLFragment { SQLFragment(Dialect.always, isExact: false) }
    package static var argument: String { Dialect.argument }

    /// The same condition, marked as inexact: rows that satisfy it still need the predicate.
    package var asPrefilter: SQLFragment { SQLFragment(sql, arguments, isExact: false) }

    /// The negation; NULL, for a row that lacks the tested value, counts as false.
    package var negated: SQLFragment {
        guard isExact else { return .undecided }
        return SQLFragment("NOT \(Dialect.ifNull)(\(sql), \(Dialect.never))", arguments)
    }

    package static func conjunction(_ parts: [SQLFragment]) -> SQLFragment {
        join(parts[...], with: " AND ") ?? .all
    }

    package static func disjunction(_ parts: [SQLFragment]) -> SQLFragment {
        join(parts[...], with: " OR ") ?? .none
    }

    private static func join(
        _ parts: ArraySlice<SQLFragment>, with joiner: String
    ) -> SQLFragment? {
        guard parts.count > 1 else { return parts.first }
        var parts = parts
        if Dialect.limitsDepth, parts.count > 2 {
            let halves = [parts.prefix(parts.count / 2), parts.dropFirst(parts.count / 2)]
            parts = halves.compactMap { join($0, with: joiner) }[...]
        }
        return SQLFragment(
            "(" + parts.map(\.sql).joined(separator: joiner) + ")", parts.flatMap(\.arguments),
            isExact: parts.allSatisfy(\.isExact))
    }
}
