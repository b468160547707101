/// A piece of a filter, with the column (from 1) where it begins.
struct FilterToken: Sendable {
    /// A text as written, quotes taken off.
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
        /// `field:value`, with `!` before the operator as its own flag.
        case test(field: Value, name: Value?, FilterOperator, Value, isNegated: Bool)
        /// mitmproxy's `~u value`; without value where the operator takes none.
        case mitmproxy(MitmproxyOperator, Value?)
    }

    let kind: Kind
    let column: Int
}
