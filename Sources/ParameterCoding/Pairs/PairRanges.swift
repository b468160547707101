/// Where one `name=value` lies in the octets it was found in.
public struct PairRanges: Sendable, Hashable {
    /// The octets of the name.
    public let name: Range<Int>
    /// The octets behind the first `=`; nil where there is no `=`.
    public let value: Range<Int>?

    /// The pair's octets, name and value.
    public var whole: Range<Int> { name.lowerBound..<(value?.upperBound ?? name.upperBound) }
    /// Whether there is nothing between two separators.
    public var isEmpty: Bool { name.isEmpty && value == nil }

    /// The same pair when octets before it were inserted or taken away.
    func shifted(by distance: Int) -> PairRanges {
        PairRanges(
            name: name.lowerBound + distance..<name.upperBound + distance,
            value: value.map { $0.lowerBound + distance..<$0.upperBound + distance })
    }
}
