/// One pair of a query or form: the position of its bytes, and the decoded text.
public struct EncodedPair: Sendable, Hashable {
    /// The positions of name and value in the bytes of the pairs.
    public internal(set) var ranges: PairRanges
    /// The name's text: percent-decoded, `+` as a space.
    public let name: String
    /// The value's text; nil for a bare name without `=`.
    public let value: String?
    /// How the name's bytes were decoded.
    public let nameOrigin: TextOrigin
    /// How the value's bytes were decoded.
    public let valueOrigin: TextOrigin

    /// The range of the name's bytes.
    public var rawName: Range<Int> { ranges.name }
    /// The range of the value's bytes; nil for a bare name without `=`.
    public var rawValue: Range<Int>? { ranges.value }
}
