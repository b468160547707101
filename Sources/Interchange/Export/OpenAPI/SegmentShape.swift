internal import ProxydRedaction

/// What segments of paths, and names elsewhere, look like that are values rather than names.
enum SegmentShape: Int, Comparable {
    /// Digits alone.
    case integer
    /// A UUID.
    case uuid
    /// Anything else, such as a hash or a name that is not part of the interface.
    case text

    private static let byteCountMax = 40
    static func < (left: SegmentShape, right: SegmentShape) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Whether a text in the place of a name is a value.
    static func isValue(_ name: String) -> Bool { SegmentShape(name[...]) != nil }

    /// Whether a text is a date: `2024-01-31`.
    static func isDate(_ bytes: [UInt8]) -> Bool {
        bytes.count == 10
            && bytes.indices.allSatisfy {
                $0 == 4 || $0 == 7 ? bytes[$0] == 0x2D : (0x30...0x39).contains(bytes[$0])
            }
    }

    /// The shape of a value; nil for what may be a name.
    init?(_ segment: Substring) {
        let bytes = Array(segment.utf8)
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        let isHex = { (byte: UInt8) in
            isDigit(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
        }
        let digitCount = bytes.count(where: isDigit)
        if !bytes.isEmpty, digitCount == bytes.count {
            self = bytes.count <= 18 ? .integer : .text
        } else if bytes.count == 36, bytes.count(where: { $0 == 0x2D }) == 4,
            bytes.allSatisfy({ isHex($0) || $0 == 0x2D })
        {
            self = .uuid
        } else if bytes.count >= 8, digitCount > 0, bytes.allSatisfy(isHex) {
            self = .text
        } else if bytes.count > SegmentShape.byteCountMax
            || SegmentShape.hasMark(bytes) || SegmentShape.looksRandom(bytes)
            || SegmentShape.hasSecret(bytes) || !NameWords.areIn(bytes)
        {
            self = .text
        } else {
            return nil
        }
    }

    /// Addresses, escapes and pairs. A name of JSON-LD starts with `@`.
    private static func hasMark(_ bytes: [UInt8]) -> Bool {
        bytes.dropFirst().contains(UInt8(ascii: "@")) || bytes.contains(UInt8(ascii: "%"))
            || bytes.contains(UInt8(ascii: "="))
    }

    /// The scanner finds secrets behind these marks only.
    private static func hasSecret(_ bytes: [UInt8]) -> Bool {
        guard bytes.contains(where: { $0 == 0x20 || $0 == 0x3A || $0 == 0x3E }) else {
            return false
        }
        return Redaction().holdsSecrets(bytes)
    }

    /// Keys and tokens have digits between letters, and no words.
    private static func looksRandom(_ bytes: [UInt8]) -> Bool {
        let digitCount = bytes.count { (0x30...0x39).contains($0) }
        guard bytes.count >= 16, digitCount >= 3 else { return false }
        var changeCount = 0
        for (first, second) in zip(bytes, bytes.dropFirst())
        where (0x30...0x39).contains(first) != (0x30...0x39).contains(second) { changeCount += 1 }
        return changeCount >= 4
    }
}
