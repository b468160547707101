internal import ProxydFilter
internal import ProxydCaptureModel

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
