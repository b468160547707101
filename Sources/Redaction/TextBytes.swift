internal import ProxydHTTPModel

/// Small questions about bytes of text, for those who look for credentials in it.
enum TextBytes {
    /// Bytes of names as they are written in forms, JSON, configuration and code. Letters of other
    /// alphabets are among them.
    static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "$"),
            0x80...0xFF:
            true
        default: false
        }
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || isLineEnd(byte) }

    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
    }

    /// The first index from `start` whose byte does not belong; at most `most` are looked at.
    static func skip(
        _ bytes: Span<UInt8>, _ start: Int, most: Int = .max, while belongs: (UInt8) -> Bool
    ) -> Int {
        let end = min(bytes.count, most > bytes.count ? bytes.count : start + most)
        var index = start
        while index < end, belongs(bytes[index]) { index += 1 }
        return index
    }

    /// The start of the bytes before `end` that belong; at most `most` are looked at.
    static func skipBack(
        _ bytes: Span<UInt8>, _ end: Int, most: Int, while belongs: (UInt8) -> Bool
    ) -> Int {
        let start = max(0, end - most)
        var index = end
        while index > start, belongs(bytes[index - 1]) { index -= 1 }
        return index
    }

    static func begins(_ bytes: Span<UInt8>, _ start: Int, _ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard start >= 0, bytes.count - start >= count else { return false }
        return ASCII.equals(bytes.extracting(start..<start + count), literal)
    }

    /// Whether a range equals a literal in lower case, whatever its own case.
    static func equals(_ bytes: Span<UInt8>, _ range: Range<Int>, _ literal: StaticString) -> Bool {
        ASCII.equalsIgnoringCase(bytes.extracting(range), literal)
    }

    static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        bytes.extracting(range).withUnsafeBufferPointer { Array($0) }
    }

    /// Whether bytes look made by a machine: no spaces, letters as well as digits.
    static func isOpaque(_ bytes: Span<UInt8>, atLeast byteCount: Int) -> Bool {
        guard bytes.count >= byteCount else { return false }
        var (hasLetter, hasDigit) = (false, false)
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte > 0x20, byte < 0x7F else { return false }
            hasDigit = hasDigit || isDigit(byte)
            hasLetter = hasLetter || (byte | 0x20) &- 0x61 < 26
        }
        return hasLetter && hasDigit
    }
}
