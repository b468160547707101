/// A token of a GraphQL document (October 2021, §2.1).
struct GraphQLToken: Sendable, Hashable {
    /// The kind of token.
    enum Kind: Sendable, Hashable {
        /// A name or keyword.
        case name
        /// One of `! $ & ( ) : = @ [ ] { | }`, or an invalid byte.
        case punctuator(UInt8)
        /// `...`
        case spread
        /// An integer or floating-point number.
        case number
        /// A string or block string; an unterminated one ends with the document.
        case string
        /// `# …` up to the end of the line.
        case comment
    }

    let kind: Kind
    /// The token's range in the document.
    let range: Range<Int>

    /// Whether this token is the given punctuator.
    func isPunctuator(_ scalar: Unicode.Scalar) -> Bool {
        kind == .punctuator(UInt8(ascii: scalar))
    }
}
