/// Decodes the query of a URL, or the body of a form: both have the same grammar
/// (WHATWG URL §5.1, application/x-www-form-urlencoded).
public struct QueryDecoder: Sendable {
    /// How octets become text.
    public var text: OctetText
    /// Whether `+` stands for a space. On: it does in forms and in the queries they make.
    public var plusIsSpace: Bool
    /// Whether `;` separates pairs, too. Off: WHATWG's rule.
    public var semicolonSeparates: Bool

    /// WHATWG's rules unless told otherwise.
    public init(
        text: OctetText = OctetText(),
        plusIsSpace: Bool = true,
        semicolonSeparates: Bool = false
    ) {
        self.text = text
        self.plusIsSpace = plusIsSpace
        self.semicolonSeparates = semicolonSeparates
    }

    /// The pairs of a query (without its `?`) or of a form body. Nothing is an error.
    public func decode(_ octets: [UInt8]) -> EncodedPairs {
        var scanner = PairScanner(semicolonSeparates: semicolonSeparates)
        var percent = PercentDecoder(text: text, plusIsSpace: plusIsSpace)
        var pairs: [EncodedPair] = []
        let span = octets.span
        while let ranges = scanner.next(in: span) {
            pairs.append(QueryDecoder.pair(ranges, in: span, &percent))
        }
        return EncodedPairs(octets: octets, pairs: pairs, decoder: self)
    }

    /// The pair that lies at the given places.
    func pair(_ ranges: PairRanges, in octets: [UInt8]) -> EncodedPair {
        var percent = PercentDecoder(text: text, plusIsSpace: plusIsSpace)
        let span = octets.span
        return QueryDecoder.pair(ranges, in: span, &percent)
    }

    private static func pair(
        _ ranges: PairRanges, in octets: Span<UInt8>, _ percent: inout PercentDecoder
    ) -> EncodedPair {
        let name = percent.reading(octets, ranges.name)
        let value = ranges.value.map { percent.reading(octets, $0) }
        return EncodedPair(
            ranges: ranges,
            name: name.text,
            value: value?.text,
            nameOrigin: name.origin,
            valueOrigin: value?.origin ?? .utf8
        )
    }
}

/// Decodes the body of a form. The grammar is that of a query.
public typealias FormDecoder = QueryDecoder
