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
        text: ByteText = ByteText(),
        plusIsSpace: Bool = true,
        semicolonSeparates: Bool = false
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

    /// Decodes the pair at the given position.
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
            ranges: ranges,
            name: name.text,
            value: value?.text,
            nameOrigin: name.origin,
            valueOrigin: value?.origin ?? .utf8
        )
    }
}

/// Decodes the body of a form, whose grammar is that of a query.
public typealias FormDecoder = QueryDecoder
