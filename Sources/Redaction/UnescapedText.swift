internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// A text with one level of escapes decoded, and the original place of each byte: a credential in
/// `next=%252F%253Ftoken%253Dx` is visible only two levels down.
///
/// Percent-encoding, character references (`&quot;`, `&#61;`) and backslashes (`\u0022`, `\"`) are
/// decoded together, whatever the syntax of the text: a level is only searched, and what is found
/// in it is hidden in the original text.
struct UnescapedText {
    private(set) var bytes: [UInt8]
    /// The place of each byte in the original text, and its end.
    private var offsets: [UInt32]

    /// The level above a text: the text itself, if it has escapes; otherwise nil.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count < UInt32.max, UnescapedText.mayHaveEscapes(bytes) else { return nil }
        self.bytes = bytes.withUnsafeBufferPointer { Array($0) }
        offsets = Array(0...UInt32(bytes.count))
    }

    private static func mayHaveEscapes(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "\\"), 0x1B, 0xC2, 0xE2, 0xEF:
                return true
            default: continue
            }
        }
        return false
    }

    /// The range in the original text.
    func source(of range: Range<Int>) -> Range<Int> {
        Int(offsets[range.lowerBound])..<Int(offsets[range.upperBound])
    }

    /// Decodes a level; returns whether there was anything to decode.
    mutating func decodeLevel() -> Bool {
        let byteCount = bytes.count
        (bytes, offsets) = UnescapedText.decoded(bytes.span, offsets)
        return bytes.count < byteCount
    }

    private static func decoded(_ text: Span<UInt8>, _ offsets: [UInt32]) -> ([UInt8], [UInt32]) {
        var decoded: [UInt8] = []
        var kept: [UInt32] = []
        decoded.reserveCapacity(text.count)
        kept.reserveCapacity(offsets.count)
        var index = 0
        while index < text.count {
            let offset = offsets[index]
            if let escape = TextEscape(text, at: index) {
                escape.append(to: &decoded)
                index += escape.byteCount
            } else {
                decoded.append(text[index])
                index += 1
            }
            while kept.count < decoded.count { kept.append(offset) }
        }
        kept.append(offsets[text.count])
        return (decoded, kept)
    }
}

/// An escape in a text: its length, and its meaning, which is always shorter.
private struct TextEscape {
    let byteCount: Int
    private let meaning: Meaning

    private enum Meaning {
        case byte(UInt8)
        case character(Unicode.Scalar)
        case nothing
    }

    func append(to bytes: inout [UInt8]) {
        switch meaning {
        case .byte(let byte): bytes.append(byte)
        case .character(let scalar): bytes += Array(String(scalar).utf8)
        case .nothing: break
        }
    }

    /// Reads the escape at a position. Fails if no escape starts there.
    init?(_ bytes: Span<UInt8>, at start: Int) {
        switch bytes[start] {
        case UInt8(ascii: "%"): self.init(percent: bytes, start)
        case UInt8(ascii: "&"): self.init(reference: bytes, start)
        case UInt8(ascii: "\\"): self.init(backslash: bytes, start)
        case 0x1B: self.init(colour: bytes, start)
        case 0xC2, 0xE2, 0xEF: self.init(mark: bytes, start)
        default: return nil
        }
    }

    private init(_ byteCount: Int, _ meaning: Meaning) {
        self.byteCount = byteCount
        self.meaning = meaning
    }

    private init?(percent bytes: Span<UInt8>, _ start: Int) {
        guard let value = TextEscape.hex(bytes, start + 1, 2) else { return nil }
        self.init(3, .byte(UInt8(truncatingIfNeeded: value)))
    }

    private init?(backslash bytes: Span<UInt8>, _ start: Int) {
        guard start + 1 < bytes.count else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "u"):
            guard let value = TextEscape.hex(bytes, start + 2, 4) else { return nil }
            self.init(6, .character(Unicode.Scalar(value) ?? "?"))
        case UInt8(ascii: "x"):
            guard let value = TextEscape.hex(bytes, start + 2, 2) else { return nil }
            self.init(4, .byte(UInt8(truncatingIfNeeded: value)))
        case UInt8(ascii: "n"), UInt8(ascii: "r"): self.init(2, .byte(0x0A))
        case UInt8(ascii: "t"): self.init(2, .byte(0x09))
        case UInt8(ascii: "\\"):
            // However often a text was quoted, its backslashes become one at the next level.
            var end = start + 2
            while end < bytes.count, bytes[end] == UInt8(ascii: "\\") { end += 1 }
            self.init(end - start, .byte(UInt8(ascii: "\\")))
        case let mark where "\"'/&=<>`".utf8.contains(mark): self.init(2, .byte(mark))
        default: return nil
        }
    }

    /// A colour or style of a terminal (ECMA-48 §8.3.117), as in logs of containers.
    private init?(colour bytes: Span<UInt8>, _ start: Int) {
        guard start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "[") else { return nil }
        let end = TextBytes.skip(bytes, start + 2, most: 32) {
            TextBytes.isDigit($0) || $0 == UInt8(ascii: ";")
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "m") else { return nil }
        self.init(end + 1 - start, .nothing)
    }

    /// A mark of another alphabet in place of an ASCII one: quotation marks, spaces, and full-width
    /// letters and marks.
    private init?(mark bytes: Span<UInt8>, _ start: Int) {
        guard start + 2 < bytes.count else { return nil }
        switch (bytes[start], bytes[start + 1], bytes[start + 2]) {
        case (0xC2, 0xA0, _): self.init(2, .byte(0x20))
        case (0xC2, 0xAD, _): self.init(2, .nothing)
        case (0xE2, 0x80, 0x8B...0x8D): self.init(3, .nothing)
        case (0xE2, 0x80, 0x98...0x9B): self.init(3, .byte(UInt8(ascii: "'")))
        case (0xE2, 0x80, 0x9C...0x9F): self.init(3, .byte(UInt8(ascii: "\"")))
        case (0xEF, 0xBC, let last) where 0x81...0xBF ~= last: self.init(3, .byte(last - 0x60))
        case (0xEF, 0xBD, let last) where 0x80...0x9E ~= last: self.init(3, .byte(last - 0x20))
        default: return nil
        }
    }

    private init?(reference bytes: Span<UInt8>, _ start: Int) {
        var end = start + 1
        while end < min(bytes.count, start + 12), bytes[end] != UInt8(ascii: ";") {
            guard bytes[end] > 0x22, bytes[end] < 0x7F else { return nil }
            end += 1
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: ";") else { return nil }
        let name = bytes.extracting(start + 1..<end).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
        guard let scalar = TextEscape.scalar(name) else { return nil }
        self.init(end + 1 - start, .character(scalar))
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        if let scalar = named[name] { return scalar }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        let value = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
        return value.flatMap(Unicode.Scalar.init)
    }

    /// The named references of characters that separate names and values.
    private static let named: [String: Unicode.Scalar] = [
        "quot": "\"", "QUOT": "\"", "apos": "'", "amp": "&", "AMP": "&", "lt": "<", "LT": "<",
        "gt": ">", "GT": ">", "equals": "=", "colon": ":", "semi": ";", "comma": ",", "nbsp": " ",
        "lowbar": "_", "period": ".", "sol": "/", "bsol": "\\", "commat": "@", "num": "#",
        "lbrack": "[", "lsqb": "[", "rbrack": "]", "rsqb": "]", "lbrace": "{", "lcub": "{",
        "rbrace": "}", "rcub": "}", "lpar": "(", "rpar": ")", "quest": "?", "percnt": "%",
        "NewLine": "\n", "Tab": "\t",
    ]

    private static func hex(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> UInt32? {
        guard start + count <= bytes.count else { return nil }
        var value: UInt32 = 0
        for index in start..<start + count {
            guard let digit = Byte.hexValue(bytes[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}

/// Predicates on bytes of text, for finding credentials.
enum TextBytes {
    /// Bytes of names in forms, JSON, configuration and code, with letters of other alphabets.
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

    /// The first index from `start` whose byte does not belong; at most `most` are examined.
    static func skip(
        _ bytes: Span<UInt8>, _ start: Int, most: Int = .max, while belongs: (UInt8) -> Bool
    ) -> Int {
        let end = min(bytes.count, most > bytes.count ? bytes.count : start + most)
        var index = start
        while index < end, belongs(bytes[index]) { index += 1 }
        return index
    }

    /// The start of the bytes before `end` that belong; at most `most` are examined.
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

    /// Whether bytes look machine-made: no spaces, and letters as well as digits.
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
