/// Splits ranges of scalars into sequences of byte ranges, so that an automaton over bytes matches
/// exactly the UTF-8 (RFC 3629 §3) of the scalars.
enum UTF8Sequences {
    /// One byte of each range, in order.
    typealias Sequence = [ClosedRange<UInt8>]

    /// The sequences for scalars above U+007F in `range`; lower scalars are single bytes.
    static func sequences(of range: ClosedRange<UInt32>) -> [Sequence] {
        var result: [Sequence] = []
        for (length, bounds) in [
            (2, 0x80...0x7FF), (3, 0x800...0xFFFF), (4, 0x10000...ScalarSet.last),
        ] as [(Int, ClosedRange<UInt32>)] where range.overlaps(bounds) {
            let part = range.clamped(to: bounds)
            split(part.lowerBound, part.upperBound, length: length, into: &result)
        }
        return result
    }

    /// Splits a range of equally long encodings until all bytes in each part vary independently.
    private static func split(
        _ low: UInt32, _ high: UInt32, length: Int, into result: inout [Sequence]
    ) {
        for tail in 1..<length {
            let mask: UInt32 = (1 << UInt32(6 * tail)) - 1
            guard low & ~mask != high & ~mask else { continue }
            if low & mask != 0 {
                split(low, low | mask, length: length, into: &result)
                split((low | mask) + 1, high, length: length, into: &result)
                return
            }
            if high & mask != mask {
                split(low, (high & ~mask) - 1, length: length, into: &result)
                split(high & ~mask, high, length: length, into: &result)
                return
            }
        }
        let first = bytes(low, length: length)
        let last = bytes(high, length: length)
        result.append(zip(first, last).map { $0...$1 })
    }

    private static func bytes(_ scalar: UInt32, length: Int) -> [UInt8] {
        let marker: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
        return (0..<length).map { index in
            let bits = scalar >> UInt32(6 * (length - 1 - index))
            return UInt8(truncatingIfNeeded: index == 0 ? marker | bits : 0x80 | (bits & 0x3F))
        }
    }
}
