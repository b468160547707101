/// What segments of paths, and names elsewhere, look like that are values rather than names.
enum SegmentShape: Int, Comparable {
    /// Digits alone.
    case integer
    /// A UUID.
    case uuid
    /// Anything else, such as a hash or a name that is not part of the interface.
    case text

    private static let byteCountMax = 40
    private static let scanner = SecretScanner(SecretNames())

    static func < (left: SegmentShape, right: SegmentShape) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Whether a text in the place of a name is a value.
    static func isValue(_ name: String) -> Bool { SegmentShape(name[...]) != nil }

    /// Whether a text is a date: `2024-01-31`.
    static func isDate(_ octets: [UInt8]) -> Bool {
        octets.count == 10
            && octets.indices.allSatisfy {
                $0 == 4 || $0 == 7 ? octets[$0] == 0x2D : (0x30...0x39).contains(octets[$0])
            }
    }

    /// The shape of a value; nil for what may be a name.
    init?(_ segment: Substring) {
        let octets = Array(segment.utf8)
        let isDigit = { (octet: UInt8) in (0x30...0x39).contains(octet) }
        let isHex = { (octet: UInt8) in
            isDigit(octet) || (0x61...0x66).contains(octet) || (0x41...0x46).contains(octet)
        }
        let digitCount = octets.count(where: isDigit)
        if !octets.isEmpty, digitCount == octets.count {
            self = octets.count <= 18 ? .integer : .text
        } else if octets.count == 36, octets.count(where: { $0 == 0x2D }) == 4,
            octets.allSatisfy({ isHex($0) || $0 == 0x2D })
        {
            self = .uuid
        } else if octets.count >= 8, digitCount > 0, octets.allSatisfy(isHex) {
            self = .text
        } else if octets.count > SegmentShape.byteCountMax
            || SegmentShape.hasMark(octets) || SegmentShape.looksRandom(octets)
            || SegmentShape.hasSecret(octets) || !NameWords.areIn(octets)
        {
            self = .text
        } else {
            return nil
        }
    }

    /// Addresses, escapes and pairs. A name of JSON-LD starts with `@`.
    private static func hasMark(_ octets: [UInt8]) -> Bool {
        octets.dropFirst().contains(UInt8(ascii: "@")) || octets.contains(UInt8(ascii: "%"))
            || octets.contains(UInt8(ascii: "="))
    }

    /// The scanner finds secrets behind these marks only.
    private static func hasSecret(_ octets: [UInt8]) -> Bool {
        guard octets.contains(where: { $0 == 0x20 || $0 == 0x3A || $0 == 0x3E }) else {
            return false
        }
        return scanner.redacted(octets) != nil
    }

    /// Keys and tokens have digits between letters, and no words.
    private static func looksRandom(_ octets: [UInt8]) -> Bool {
        let digitCount = octets.count { (0x30...0x39).contains($0) }
        guard octets.count >= 16, digitCount >= 3 else { return false }
        var changeCount = 0
        for (first, second) in zip(octets, octets.dropFirst())
        where (0x30...0x39).contains(first) != (0x30...0x39).contains(second) { changeCount += 1 }
        return changeCount >= 4
    }
}
