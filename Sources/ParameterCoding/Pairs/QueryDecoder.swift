/// Decodes the query of a URL, or the body of a form: both have the same grammar
/// (WHATWG URL §5.1, application/x-www-form-urlencoded).
public struct QueryDecoder: Sendable {
    /// How bytes are converted to text.
    public var text: ByteText
    /// Whether `+` is a space, as in forms and the queries they produce. On by default.
    public var plusIsSpace: Bool
    /// Whether `;` also separates pairs. Off by default, as in WHATWG's rules.
    public var semicolonSeparates: Bool

    /// Creates a decoder, by default with WHATWG's rules.
    public init(
        text: ByteText = ByteText(), plusIsSpace: Bool = true, semicolonSeparates: Bool = false
    ) {
        self.text = text
        self.plusIsSpace = plusIsSpace
        self.semicolonSeparates = semicolonSeparates
    }

    /// Decodes the body of a form in the charset that it declares.
    /// - Parameter label: The charset parameter of Content-Type, if there is one.
    public static func form(_ bytes: [UInt8], declaredCharset label: String?) -> EncodedPairs {
        let text = ByteText(ofForm: bytes.span, declaredCharset: label)
        return QueryDecoder(text: text).decode(bytes)
    }

    /// Decodes a query (without its `?`) or a form body. No input is an error.
    public func decode(_ bytes: [UInt8]) -> EncodedPairs {
        var scanner = PairScanner(semicolonSeparates: semicolonSeparates)
        var percent = PercentDecoder(text: text, plusIsSpace: plusIsSpace)
        var pairs: [EncodedPair] = []
        let span = bytes.span
        while let ranges = scanner.next(in: span) {
            pairs.append(QueryDecoder.pair(ranges, in: span, &percent))
        }
        return EncodedPairs(bytes: bytes, pairs: pairs, decoder: self)
    }

    func pair(_ ranges: PairRanges, in bytes: [UInt8]) -> EncodedPair {
        var percent = PercentDecoder(text: text, plusIsSpace: plusIsSpace)
        let span = bytes.span
        return QueryDecoder.pair(ranges, in: span, &percent)
    }

    private static func pair(
        _ ranges: PairRanges, in bytes: Span<UInt8>, _ percent: inout PercentDecoder
    ) -> EncodedPair {
        let name = percent.reading(bytes, ranges.name)
        let value = ranges.value.map { percent.reading(bytes, $0) }
        return EncodedPair(
            ranges: ranges, name: name.text, value: value?.text, nameOrigin: name.origin,
            valueOrigin: value?.origin ?? .utf8
        )
    }
}

/// Decodes the body of a form, whose grammar is that of a query.
public typealias FormDecoder = QueryDecoder

/// Finds the pairs of a query or a form one after another, without allocation.
///
/// Lossless: joining the pairs with their separators gives the input again. An empty input has no
/// pair; otherwise there is one pair more than there are separators.
public struct PairScanner: Sendable {
    private let semicolonSeparates: Bool
    private var position = 0
    private var isAtEnd = false

    /// `;` is a separator only on request: it was in HTML 4, but not in URLs.
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

/// The position of one `name=value` in the bytes that contain it.
public struct PairRanges: Sendable, Hashable {
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
