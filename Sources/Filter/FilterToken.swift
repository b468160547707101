/// One token of a filter, with the column (from 1) at which it starts.
struct FilterToken: Sendable {
    /// The text of a word or value, without its quotes.
    struct Value: Sendable {
        let text: String
        let column: Int
    }

    enum Kind: Sendable {
        case open
        case close
        case and
        case or
        case not
        /// A bare or quoted word.
        case word(String)
        /// `field:value`. A `!` before the operator sets `isNegated`.
        case test(field: Value, name: Value?, FilterOperator, Value, isNegated: Bool)
        /// mitmproxy's `~u value`; the value is nil if the operator takes none.
        case mitmproxy(MitmproxyOperator, Value?)
    }

    let kind: Kind
    let column: Int
}
