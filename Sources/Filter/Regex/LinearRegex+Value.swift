extension LinearRegex {
    /// Compiles the regular expression in a test's value; an error reports the column in the
    /// filter.
    static func parse(
        _ value: FilterToken.Value, ignoresCase: Bool, isForBodies: Bool
    ) throws(FilterError) -> LinearRegex {
        do {
            return try LinearRegex(value.text, ignoresCase: ignoresCase, isForBodies: isForBodies)
        } catch {
            throw FilterError(
                column: value.column + error.offset, "regular expression: \(error.message)")
        }
    }
}
