/// What the segments of paths look like that are values rather than names.
enum SegmentShape: Int, Comparable {
    /// Digits alone.
    case integer
    /// A UUID.
    case uuid
    /// Anything else, such as a hash or a name that is not part of the interface.
    case text

    static func < (left: SegmentShape, right: SegmentShape) -> Bool {
        left.rawValue < right.rawValue
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
        } else if octets.contains(UInt8(ascii: "@")) || octets.contains(UInt8(ascii: "%")) {
            self = .text
        } else if octets.count > 40 || SegmentShape.looksRandom(octets, digitCount: digitCount) {
            self = .text
        } else if octets.count == 10, octets[4] == 0x2D, octets[7] == 0x2D, digitCount == 8 {
            // A date.
            self = .text
        } else {
            return nil
        }
    }

    /// Keys and tokens have digits between letters, and no words.
    private static func looksRandom(_ octets: [UInt8], digitCount: Int) -> Bool {
        guard octets.count >= 16, digitCount >= 3 else { return false }
        var changeCount = 0
        for (first, second) in zip(octets, octets.dropFirst())
        where (0x30...0x39).contains(first) != (0x30...0x39).contains(second) { changeCount += 1 }
        return changeCount >= 4
    }
}
