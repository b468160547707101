/// A set of Unicode scalars as sorted, disjoint ranges; the value of a regex class.
struct ScalarSet: Sendable, Hashable {
    private(set) var ranges: [ClosedRange<UInt32>] = []

    /// The highest Unicode scalar.
    static let last: UInt32 = 0x10FFFF
    /// Surrogates are not scalars and never appear in UTF-8 (RFC 3629 §3).
    private static let surrogates: ClosedRange<UInt32> = 0xD800...0xDFFF

    init(_ ranges: [ClosedRange<UInt32>] = []) {
        self.ranges = ranges
        normalise()
    }

    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

    mutating func formUnion(_ other: ScalarSet) {
        ranges += other.ranges
        normalise()
    }

    /// The scalar of a set with exactly one element; otherwise nil.
    var single: UInt32? {
        guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
        return range.lowerBound
    }

    /// Every scalar that is not in the set.
    var inverted: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
            next = range.upperBound &+ 1
        }
        if next <= ScalarSet.last { gaps.append(next...ScalarSet.last) }
        return ScalarSet(gaps)
    }

    /// The set extended by the other case of every ASCII letter in it.
    var foldingASCIICase: ScalarSet {
        var folded = ranges
        for range in ranges {
            folded += ScalarSet.moved(range, within: 0x41...0x5A, by: 0x20)
            folded += ScalarSet.moved(range, within: 0x61...0x7A, by: 0 &- 0x20)
        }
        return ScalarSet(folded)
    }

    private static func moved(
        _ range: ClosedRange<UInt32>, within letters: ClosedRange<UInt32>, by shift: UInt32
    ) -> [ClosedRange<UInt32>] {
        guard range.overlaps(letters) else { return [] }
        let part = range.clamped(to: letters)
        return [(part.lowerBound &+ shift)...(part.upperBound &+ shift)]
    }

    private mutating func normalise() {
        var merged: [ClosedRange<UInt32>] = []
        let sorted = ranges.flatMap(ScalarSet.withoutSurrogates)
            .sorted { $0.lowerBound < $1.lowerBound }
        for range in sorted {
            if let previous = merged.last, range.lowerBound <= previous.upperBound &+ 1 {
                let upper = max(previous.upperBound, range.upperBound)
                merged[merged.count - 1] = previous.lowerBound...upper
            } else {
                merged.append(range)
            }
        }
        ranges = merged
    }

    private static func withoutSurrogates(
        _ range: ClosedRange<UInt32>
    ) -> [ClosedRange<UInt32>] {
        guard range.overlaps(surrogates) else { return [range] }
        var parts: [ClosedRange<UInt32>] = []
        if range.lowerBound < surrogates.lowerBound {
            parts.append(range.lowerBound...(surrogates.lowerBound - 1))
        }
        if range.upperBound > surrogates.upperBound {
            parts.append((surrogates.upperBound + 1)...range.upperBound)
        }
        return parts
    }
}

extension ScalarSet {
    /// `\d`: ASCII digits, as in every header and URL.
    static let digits = ScalarSet([0x30...0x39])
    /// `\w`: ASCII letters, digits and `_`.
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// `\s`: ASCII white space.
    static let space = ScalarSet([0x09...0x0D, 0x20...0x20])
    /// The line feed, which `.` does not match.
    static let newline = ScalarSet([0x0A...0x0A])
}
