/// The fields and operators of a filter language and their meaning. Tokens, quotes, `and`, `or`,
/// `not` and parentheses are the same in every language.
protocol FilterVocabulary {
    /// The type of a single test.
    associatedtype Test: Sendable

    /// What may come between this word and an operator, or nil if the word is not a field.
    static func naming(of field: String) -> FilterFieldNaming?
    /// A field to show as an example in error messages.
    static var exampleField: String { get }
    /// Whether the language includes mitmproxy's operators.
    static var hasOperators: Bool { get }
    /// The meaning of a word without an operator.
    func word(_ text: String) -> FilterTree<Test>
    /// The meaning of `field operator value`.
    func test(
        field: FilterToken.Value, name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterTree<Test>
    /// The meaning of a mitmproxy operator at a column. Called only if the language has them.
    func test(
        _ found: MitmproxyOperator, _ value: FilterToken.Value?, column: Int
    ) throws(FilterError) -> FilterTree<Test>
}

/// What may come between the first word of a field and the operator.
enum FilterFieldNaming {
    /// Nothing: `host:`.
    case none
    /// Any name after a dot: `header.accept:`.
    case any
    /// One of a fixed set of words after a dot: `h2.reset:`.
    case words
}
