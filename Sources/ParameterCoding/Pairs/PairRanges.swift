/// The position of one `name=value` in the bytes that contain it.
public struct PairRanges: Sendable, Hashable {
    /// The range of the name.
    public let name: Range<Int>
    /// The range after the first `=`; nil if there is no `=`.
    public let value: Range<Int>?

    /// The range of the whole pair, name and value.
    public var whole: Range<Int> { name.lowerBound..<(value?.upperBound ?? name.upperBound) }
    /// Whether the pair is empty, as between two adjacent separators.
    public var isEmpty: Bool { name.isEmpty && value == nil }

    /// The same pair after bytes before it were inserted or removed.
    func shifted(by distance: Int) -> PairRanges {
        PairRanges(
            name: name.lowerBound + distance..<name.upperBound + distance,
            value: value.map { $0.lowerBound + distance..<$0.upperBound + distance })
    }
}
