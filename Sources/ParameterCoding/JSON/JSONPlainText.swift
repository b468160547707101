/// Finds the end of the plain part of a JSON string, eight bytes at a time: strings are most of a
/// JSON text, and most of their content is plain.
enum JSONPlainText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The first position at or after `start` of a control character, a quotation mark, a backslash
    /// or a non-ASCII byte; the count if there is none.
    static func end(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        bytes.withUnsafeBytes { buffer in
            while index &+ 8 <= buffer.count {
                let loaded = buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let special = specials(UInt64(littleEndian: loaded))
                guard special == 0 else {
                    index &+= special.trailingZeroBitCount / 8
                    return
                }
                index &+= 8
            }
            while index < buffer.count, !isSpecial(buffer[index]) { index &+= 1 }
        }
        return index
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C
    }

    /// Sets the high bit of each special byte. A borrow may also mark bytes after (above) the first
    /// special one; the first one is always correct.
    private static func specials(_ word: UInt64) -> UInt64 {
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let controls = (word &- (ones &* 0x20)) & ~word
        let matches = ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
        return (controls | matches | word) & highBits
    }
}
