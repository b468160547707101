/// Limits of the filter language, which `FilterManual` describes.
public enum FilterGrammar {
    /// The longest filter, in octets of UTF-8: far above what a person types, far below what the
    /// database takes.
    public static let filterByteCountMax = 8_192
    /// The most words, tests and operators in one filter.
    public static let tokenCountMax = 500
    /// How deep parentheses and `not` nest; bounds the recursion.
    public static let depthMax = 50
}
