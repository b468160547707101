/// Finds the pairs of a query or a form one after the other, without allocation.
///
/// No octet is lost: joining the pairs' octets with their separators gives the input. An empty
/// input has no pair; otherwise there is one pair more than there are separators.
public struct PairScanner: Sendable {
    private let semicolonSeparates: Bool
    private var position = 0
    private var isAtEnd = false

    /// A scanner at the start. `;` separates only where asked for: HTML 4 had it, URLs do not.
    public init(semicolonSeparates: Bool = false) {
        self.semicolonSeparates = semicolonSeparates
    }

    /// The next pair of `octets`, which are the same at every call; nil behind the last one.
    public mutating func next(in octets: Span<UInt8>) -> PairRanges? {
        guard !isAtEnd, !octets.isEmpty else { return nil }
        let start = position
        var equals: Int?
        var index = start
        while index < octets.count {
            let octet = octets[index]
            if octet == 0x26 || (octet == 0x3B && semicolonSeparates) { break }
            if octet == 0x3D, equals == nil { equals = index }
            index &+= 1
        }
        isAtEnd = index == octets.count
        position = index &+ 1
        guard let equals else { return PairRanges(name: start..<index, value: nil) }
        return PairRanges(name: start..<equals, value: (equals &+ 1)..<index)
    }
}
