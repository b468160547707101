/// The Huffman code of HPACK's strings (RFC 7541 §5.2 and appendix B).
enum HuffmanCode {
    /// Returns the length of a string in bytes after encoding.
    static func encodedByteCount(_ string: Span<UInt8>) -> Int {
        let bitCounts = HuffmanTables.bitCounts
        return string.withUnsafeBufferPointer { string in
            var bitCount = 7
            for byte in string { bitCount &+= Int(bitCounts[Int(byte)]) }
            return bitCount &>> 3
        }
    }

    /// Appends the encoded form of a string.
    static func encode(_ string: Span<UInt8>, into output: inout [UInt8]) {
        let bitCounts = HuffmanTables.bitCounts
        let codes = HuffmanTables.shared.codes
        // The low bits of `bits` have not been written yet: fewer than 32, so that any code fits.
        var bits: UInt64 = 0
        var bitCount = 0
        for index in string.indices {
            let byte = Int(string[index])
            let codeBitCount = Int(bitCounts[byte])
            bits = bits &<< codeBitCount | UInt64(codes[byte])
            bitCount &+= codeBitCount
            if bitCount >= 32 {
                bitCount &-= 32
                append(UInt32(truncatingIfNeeded: bits &>> bitCount), to: &output)
            }
        }
        while bitCount >= 8 {
            bitCount &-= 8
            output.append(UInt8(truncatingIfNeeded: bits &>> bitCount))
        }
        if bitCount > 0 {
            // EOS starts with ones.
            let padding: UInt64 = 0xFF &>> bitCount
            output.append(UInt8(truncatingIfNeeded: bits &<< (8 &- bitCount) | padding))
        }
    }

    private static func append(_ word: UInt32, to output: inout [UInt8]) {
        withUnsafeBytes(of: word.bigEndian) { output.append(contentsOf: $0) }
    }

    /// Appends the decoded form of a string.
    static func decode(_ string: Span<UInt8>, into output: inout [UInt8]) throws(HPACKError) {
        let tables = HuffmanTables.shared
        let short = tables.short.span
        var input = HuffmanBits()
        var piece = InlineArray<64, UInt8>(repeating: 0)
        var count = 0
        while true {
            input.fill(from: string)
            // The available bits contain at least one complete code, whichever it is.
            repeat {
                var entry = short[input.firstByte]
                if entry == 0 { entry = tables.longEntry(input.firstWord) }
                let bitCount = entry == 0 ? HuffmanTables.bitCountMax : Int(entry & 0xFF)
                guard bitCount <= input.bitCount else {
                    guard input.isPadding else { throw .badPadding }
                    return append(piece.span.extracting(first: count), to: &output)
                }
                guard entry != 0 else { throw .endOfString }
                input.skip(bitCount)
                piece[count] = UInt8(truncatingIfNeeded: entry &>> 8)
                count &+= 1
                if count == piece.count {
                    append(piece.span, to: &output)
                    count = 0
                }
            } while input.bitCount >= HuffmanTables.bitCountMax
        }
    }

    private static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }
}
