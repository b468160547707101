/// Why a filter was not understood, and where.
public struct FilterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where in the filter, in characters (Unicode scalars) from 1.
    public let column: Int
    /// In words for a person, with a way out where there is one.
    public let message: String

    init(column: Int, _ message: String) {
        self.column = column
        self.message = message
    }

    /// One line: `column 5: unknown field "hots": host?`.
    public var description: String { "column \(column): \(message)" }
}
