/// An ambiguity in names, and the interpretation that was chosen.
public struct ParameterGuess: Sendable, Hashable {
    /// The kind of guess.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// `a[b]` is the member b of a.
        case nestedByBrackets
        /// `a.b` is the member b of a.
        case nestedByDots
        /// `a[]` is an element of the array a.
        case arrayByBrackets
        /// `a[0]`, `a[1]` are elements of the array a.
        case arrayByIndices
        /// `a[1]` came before `a[0]`: the array has the order of the indices.
        case indicesOutOfOrder
        /// `a[0]`, `a[7]`: an object, since an array would have gaps.
        case gapsInIndices
        /// `a[0]`, `a[x]`, `a[]`: an object; the members written as `a[]` have empty names.
        case mixedKeys
        /// `a[][x]`: the boundaries between elements are not sent. A member that already exists
        /// starts the next element.
        case ambiguousElements
        /// `a=1&a=2` is an array.
        case repeatedName
        /// `a=1&a[b]=2`: two members of the same name.
        case valueAndContainer
        /// `a[b`, `a]`, `a[b]c`: brackets that do not form a path; the whole name is text.
        case bracketsAsText
        /// `.a`, `a..b`: dots that do not form a path; the whole name is text.
        case dotsAsText
        /// More levels than the limit: the whole name is text.
        case tooDeep
    }

    /// The kind of guess that was made.
    public let kind: Kind
    /// The position of the first pair that required the guess. For a guess about a whole container,
    /// this is the first pair inside it.
    public let pair: Int

    /// Creates a guess for a pair.
    public init(kind: Kind, pair: Int) {
        self.kind = kind
        self.pair = pair
    }
}
