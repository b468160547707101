extension LinearRegex {
    /// Compiles the value of a test, telling the column of what is wrong in it.
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
