/// A piece of a GraphQL document (October 2021, §2.1).
struct GraphQLToken: Sendable, Hashable {
    /// What it is.
    enum Kind: Sendable, Hashable {
        /// A name or keyword.
        case name
        /// One of `! $ & ( ) : = @ [ ] { | }`, or bytes that are nothing.
        case punctuator(UInt8)
        /// `...`
        case spread
        /// A number.
        case number
        /// A string, a block string too; the end of the document ends one.
        case string
        /// `# …` up to the end of the line.
        case comment
    }

    let kind: Kind
    /// Where it stands.
    let range: Range<Int>

    /// Whether it is this punctuator.
    func isPunctuator(_ scalar: Unicode.Scalar) -> Bool {
        kind == .punctuator(UInt8(ascii: scalar))
    }
}
