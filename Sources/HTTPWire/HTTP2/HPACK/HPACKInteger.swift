/// Integers with an N-bit prefix (RFC 7541 §5.1).
enum HPACKInteger {
    /// The largest integer that is accepted.
    static let max = Int(Int32.max)
    /// The maximum number of bytes after the prefix: 35 bits are enough for the largest integer.
    private static let restByteCountMax = 5

    /// Decodes an integer whose first byte has its prefix in the bits of `mask`.
    @inline(__always)
    static func decode(
        _ block: Span<UInt8>, from position: inout Int, mask: UInt8
    ) throws(HPACKError) -> Int {
        guard position < block.count else { throw .truncated }
        let prefix = block[position] & mask
        position &+= 1
        if prefix < mask { return Int(prefix) }
        return try decodeRest(block, from: &position, prefix: Int(mask))
    }

    @inline(never)
    private static func decodeRest(
        _ block: Span<UInt8>, from position: inout Int, prefix: Int
    ) throws(HPACKError) -> Int {
        var value = prefix
        for place in 0..<restByteCountMax {
            guard position < block.count else { throw .truncated }
            let byte = block[position]
            position &+= 1
            value &+= Int(byte & 0x7F) &<< (place &* 7)
            if byte < 0x80 {
                guard value <= max else { throw .integerTooLarge }
                return value
            }
        }
        throw .integerTooLarge
    }

    /// Appends a non-negative integer; `pattern` contains the bits of the first byte above the
    /// prefix.
    @inline(__always)
    static func append(
        _ value: Int, mask: UInt8, pattern: UInt8, to output: inout [UInt8]
    ) {
        if value < Int(mask) {
            output.append(pattern | UInt8(truncatingIfNeeded: value))
        } else {
            output.append(pattern | mask)
            appendRest(UInt(bitPattern: value &- Int(mask)), to: &output)
        }
    }

    @inline(never)
    private static func appendRest(_ rest: UInt, to output: inout [UInt8]) {
        var rest = rest
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        output.append(UInt8(truncatingIfNeeded: rest))
    }
}
