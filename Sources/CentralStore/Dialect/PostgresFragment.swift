internal import ProxydFilter

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
