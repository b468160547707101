/// Limits of the filter language, which `FilterManual` describes.
public enum FilterGrammar {
    /// The maximum length of a filter in bytes of UTF-8: far above what a person types and far
    /// below the limit of the database.
    public static let filterByteCountMax = 8_192
    /// The maximum number of words, tests, operators and parentheses in one filter.
    public static let tokenCountMax = 500
    /// The maximum nesting depth of parentheses and `not`; bounds the recursion.
    public static let depthMax = 50
}
