/// Looks at bytes for UTF-8. Eight bytes of ASCII are one step.
public enum UTF8Check {
    /// - Parameter isTruncated: Whether they may end within a character.
    public static func isValid(_ bytes: Span<UInt8>, isTruncated: Bool) -> Bool {
        let count = validByteCount(bytes)
        return count == bytes.count || isTruncated && isIncomplete(bytes, from: count)
    }

    /// The size of the longest start that is valid UTF-8.
    public static func validByteCount(_ bytes: Span<UInt8>) -> Int {
        var decoder = UTF8Decoder()
        var index = 0
        while index < bytes.count {
            if isASCII(bytes, index) {
                index &+= 8
                continue
            }
            var next = index
            guard case .character = decoder.next(bytes, &next, isEnd: true) else { break }
            index = next
        }
        return index
    }

    /// The size of bytes without an incomplete character at their end, which has at most three.
    static func wholeByteCount(_ bytes: Span<UInt8>) -> Int {
        let first = max(0, bytes.count - 3)
        var start = bytes.count - 1
        while start >= first, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        return start >= first && isIncomplete(bytes, from: start) ? start : bytes.count
    }

    /// Whether the bytes end within a character that begins at an index.
    private static func isIncomplete(_ bytes: Span<UInt8>, from index: Int) -> Bool {
        var (decoder, index) = (UTF8Decoder(), index)
        return decoder.next(bytes, &index, isEnd: false) == .incomplete
    }

    /// Whether eight bytes from an index are there and ASCII.
    private static func isASCII(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        guard index &+ 8 <= bytes.count else { return false }
        let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
        return word & 0x8080_8080_8080_8080 == 0
    }
}

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
