/// Finds the pairs of a query or a form one after another, without allocation.
///
/// Lossless: joining the pairs with their separators gives the input again. An empty input has no
/// pair; otherwise there is one pair more than there are separators.
public struct PairScanner: Sendable {
    private let semicolonSeparates: Bool
    private var position = 0
    private var isAtEnd = false

    /// Creates a scanner at the start. `;` is a separator only on request: it was in HTML 4, but
    /// not in URLs.
    public init(semicolonSeparates: Bool = false) {
        self.semicolonSeparates = semicolonSeparates
    }

    /// The next pair of `bytes`, which must be the same in every call; nil after the last one.
    public mutating func next(in bytes: Span<UInt8>) -> PairRanges? {
        guard !isAtEnd, !bytes.isEmpty else { return nil }
        let start = position
        var equals: Int?
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x26 || (byte == 0x3B && semicolonSeparates) { break }
            if byte == 0x3D, equals == nil { equals = index }
            index &+= 1
        }
        isAtEnd = index == bytes.count
        position = index &+ 1
        guard let equals else { return PairRanges(name: start..<index, value: nil) }
        return PairRanges(name: start..<equals, value: (equals &+ 1)..<index)
    }
}
