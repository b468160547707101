/// Texts that are the same in every charset with ASCII bytes, which need not be decoded.
public enum PlainASCII {
    /// Whether all bytes are ASCII without NUL, which other code units have, and escape, which
    /// begins another set of characters.
    public static func holds(for bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let wordsEnd = bytes.count & ~7
            var index = 0
            while index < wordsEnd {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                guard isPlain(word) else { return false }
                index &+= 8
            }
            return bytes[wordsEnd...].allSatisfy { isPlain(0x2020_2020_2020_2000 | UInt64($0)) }
        }
    }

    /// Whether none of eight bytes is 0, 0x1B or above 0x7F: a byte below 1 borrows its top bit.
    private static func isPlain(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let escapes = word ^ (ones &* 0x1B)
        return (word | (word &- ones) | (escapes &- ones)) & (ones &* 0x80) == 0
    }
}
