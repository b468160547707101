/// One pair of a query or form: where its octets are, and the text they stand for.
public struct EncodedPair: Sendable, Hashable {
    /// Where name and value lie in the octets of the pairs.
    public internal(set) var ranges: PairRanges
    /// The name's text: percent-decoded, `+` as a space.
    public let name: String
    /// The value's text; nil for a bare name without `=`.
    public let value: String?
    /// What the name's octets were read as.
    public let nameOrigin: TextOrigin
    /// What the value's octets were read as.
    public let valueOrigin: TextOrigin

    /// The octets of the name.
    public var rawName: Range<Int> { ranges.name }
    /// The octets of the value; nil for a bare name without `=`.
    public var rawValue: Range<Int>? { ranges.value }
}
