/// Why a filter was not understood, and where.
public struct FilterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The position in the filter, in characters (Unicode scalars) from 1.
    public let column: Int
    /// A message for the user, with a suggestion if there is one.
    public let message: String

    init(column: Int, _ message: String) {
        self.column = column
        self.message = message
    }

    /// The error for an unknown field: suggests fields with similar names, or else how to search
    /// for the whole test as text.
    static func unknownField(
        _ written: String, of subject: String = "", at column: Int, near: [String],
        searched: String, test: String
    ) -> FilterError {
        let hint =
            near.isEmpty
            ? "quote it to search the \(searched): \"\(test)\""
            : "\(near.joined(separator: " or "))?"
        return FilterError(column: column, "unknown field \"\(written)\"\(subject): \(hint)")
    }

    /// One line: `column 5: unknown field "hots": host?`.
    public var description: String { "column \(column): \(message)" }
}
