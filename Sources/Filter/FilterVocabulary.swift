/// The words of a filter language and what they mean; tokens, quotes, `and`, `or`, `not` and
/// parentheses are the same in all.
protocol FilterVocabulary {
    /// One look at one thing.
    associatedtype Test: Sendable

    /// What may stand behind a word in front of an operator; nil where it is no field.
    static func naming(of field: String) -> FilterFieldNaming?
    /// A field to name as an example.
    static var exampleField: String { get }
    /// Whether mitmproxy's operators belong to it.
    static var hasOperators: Bool { get }
    /// What a word without an operator means.
    func word(_ text: String) -> FilterTree<Test>
    /// What `field operator value` means.
    func test(
        field: FilterToken.Value, name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterTree<Test>
    /// What one of mitmproxy's operators means, at a column. Asked where the language has them.
    func test(
        _ found: MitmproxyOperator, _ value: FilterToken.Value?, column: Int
    ) throws(FilterError) -> FilterTree<Test>
}

/// What may stand between the first word of a field and the operator.
enum FilterFieldNaming {
    /// Nothing: `host:`.
    case none
    /// Any name behind a dot: `header.accept:`.
    case any
    /// One of some words behind a dot: `h2.reset:`.
    case words
}
