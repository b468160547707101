/// Something about names that could have been meant otherwise, and what it was taken for.
public struct ParameterGuess: Sendable, Hashable {
    /// What was guessed.
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
        /// `a[0]`, `a[7]`: an object, since an array would have holes.
        case gapsInIndices
        /// `a[0]`, `a[x]`, `a[]`: an object; the members that came as `a[]` have empty names.
        case mixedKeys
        /// `a[][x]`: where one element ends and the next begins was not sent. A member that is
        /// there already begins the next.
        case ambiguousElements
        /// `a=1&a=2` is an array.
        case repeatedName
        /// `a=1&a[b]=2`: two members of the same name.
        case valueAndContainer
        /// `a[b`, `a]`, `a[b]c`: brackets that are no path; the whole name is text.
        case bracketsAsText
        /// `.a`, `a..b`: dots that are no path; the whole name is text.
        case dotsAsText
        /// More levels than the limit: the whole name is text.
        case tooDeep
    }

    /// What was guessed.
    public let kind: Kind
    /// The position of the first pair that called for it. For what concerns a container as a
    /// whole, that is the first pair inside.
    public let pair: Int

    /// A guess that a pair called for.
    public init(kind: Kind, pair: Int) {
        self.kind = kind
        self.pair = pair
    }
}
