/// A string of a JSON text: validated, but not decoded yet.
package struct JSONStringToken {
    /// The bytes between the quotation marks: valid UTF-8 with well-formed escapes.
    let range: Range<Int>
    let hasEscapes: Bool

    package init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }

    package func text(in bytes: Span<UInt8>) -> String {
        let raw = bytes.extracting(range)
        guard hasEscapes else {
            return raw.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
        return String(decoding: unescaped(in: bytes), as: UTF8.self)
    }

    /// The string's UTF-8, unescaped.
    package func unescaped(in bytes: Span<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        let raw = bytes.extracting(range)
        var index = 0
        while index < raw.count {
            guard raw[index] == 0x5C, index &+ 1 < raw.count else {
                decoded.append(raw[index])
                index &+= 1
                continue
            }
            let letter = raw[index &+ 1]
            index &+= 2
            switch letter {
            case 0x62: decoded.append(0x08)
            case 0x66: decoded.append(0x0C)
            case 0x6E: decoded.append(0x0A)
            case 0x72: decoded.append(0x0D)
            case 0x74: decoded.append(0x09)
            case 0x75: decoded.append(contentsOf: character(raw, &index).utf8)
            default: decoded.append(letter)
            }
        }
        return decoded
    }

    /// The character of the `\u` whose digits start at `index`; a surrogate pair is combined.
    private func character(_ raw: Span<UInt8>, _ index: inout Int) -> Unicode.Scalar {
        let first = hexUnit(raw, at: index)
        index &+= 4
        if let scalar = Unicode.Scalar(first) { return scalar }
        let isPair =
            first < 0xDC00 && index &+ 5 < raw.count && raw[index] == 0x5C
            && raw[index &+ 1] == 0x75
        let second = isPair ? hexUnit(raw, at: index &+ 2) : 0
        guard (0xDC00...0xDFFF).contains(second) else { return "\u{FFFD}" }
        index &+= 6
        let value = 0x1_0000 &+ (first &- 0xD800) << 10 &+ (second &- 0xDC00)
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private func hexUnit(_ raw: Span<UInt8>, at index: Int) -> UInt32 {
        var unit: UInt32 = 0
        for offset in index..<min(index &+ 4, raw.count) {
            unit = unit << 4 | UInt32(Byte.hexValue(raw[offset]) ?? 0)
        }
        return unit
    }
}

/// The content of a JSON string (RFC 8259 §7).
enum JSONStringText {
    /// Appends a text with the required escapes; control characters use the short form if there is
    /// one.
    static func append(
        _ text: String, escapingSlashes: Bool, escapingLineSeparators: Bool, to bytes: inout [UInt8]
    ) {
        var text = text
        text.withUTF8 { source in
            // Text without escapes is copied in runs.
            var runStart = 0
            var index = 0
            while index < source.count {
                if !escapingSlashes { index = JSONPlainText.end(source.span, from: index) }
                guard index < source.count else { break }
                let byte = source[index]
                let isSeparator =
                    escapingLineSeparators && byte == 0xE2 && isLineSeparator(source, at: index)
                let isSlash = escapingSlashes && byte == 0x2F
                guard byte < 0x20 || byte == 0x22 || byte == 0x5C || isSlash || isSeparator
                else {
                    index &+= 1
                    continue
                }
                bytes.append(contentsOf: source[runStart..<index])
                if isSeparator {
                    bytes += source[index &+ 2] == 0xA8 ? "\\u2028".utf8 : "\\u2029".utf8
                    index &+= 3
                } else {
                    appendEscape(byte, &bytes)
                    index &+= 1
                }
                runStart = index
            }
            bytes.append(contentsOf: source[runStart...])
        }
    }

    private static func isLineSeparator(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool
    {
        index &+ 2 < source.count && source[index &+ 1] == 0x80 && source[index &+ 2] & 0xFE == 0xA8
    }

    private static func appendEscape(_ byte: UInt8, _ bytes: inout [UInt8]) {
        switch byte {
        case 0x22: bytes += "\\\"".utf8
        case 0x5C: bytes += "\\\\".utf8
        case 0x2F: bytes += "\\/".utf8
        case 0x08: bytes += "\\b".utf8
        case 0x09: bytes += "\\t".utf8
        case 0x0A: bytes += "\\n".utf8
        case 0x0C: bytes += "\\f".utf8
        case 0x0D: bytes += "\\r".utf8
        default:
            bytes += "\\u00".utf8
            bytes.append(byte < 0x10 ? 0x30 : 0x31)
            bytes.append(Byte.lowercased(Byte.hexDigit(byte & 0x0F)))
        }
    }
}

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

/// JSON's grammar for numbers (RFC 8259 §6).
package enum JSONNumber {
    package static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var index = 0
            return skip(bytes.span, &index) && index == bytes.count
        }
    }

    /// Skips a number; if it is invalid, returns false, with the position at the error.
    static func skip(_ bytes: Span<UInt8>, _ index: inout Int) -> Bool {
        if index < bytes.count, bytes[index] == 0x2D { index &+= 1 }
        if index < bytes.count, bytes[index] == 0x30 {
            index &+= 1
            // No digit may follow a leading zero.
            if index < bytes.count, Byte.isDigit(bytes[index]) { return false }
        } else if !skipDigits(bytes, &index) {
            return false
        }
        if index < bytes.count, bytes[index] == 0x2E {
            index &+= 1
            guard skipDigits(bytes, &index) else { return false }
        }
        if index < bytes.count, bytes[index] | 0x20 == 0x65 {
            index &+= 1
            if index < bytes.count, bytes[index] == 0x2B || bytes[index] == 0x2D { index &+= 1 }
            guard skipDigits(bytes, &index) else { return false }
        }
        return true
    }

    private static func skipDigits(_ bytes: Span<UInt8>, _ index: inout Int) -> Bool {
        let start = index
        while index < bytes.count, Byte.isDigit(bytes[index]) { index &+= 1 }
        return index > start
    }
}
