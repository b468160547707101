/// The distinguished encoding rules (X.690 §8 to §11), as far as they can be checked without
/// knowing the type that a value has. Browsers insist on them; OpenSSL accepts more, and how much
/// more depends on its version.
enum DERSyntax {
    /// What is in a certificate's extensions nests about eight levels deep.
    private static let depthMax = 32

    /// The universal types (X.680 §8.6) whose encoding has rules of its own, and those that contain
    /// other values.
    private enum Tag {
        static let boolean: UInt8 = 1
        static let integer: UInt8 = 2
        static let bitString: UInt8 = 3
        static let null: UInt8 = 5
        static let objectIdentifier: UInt8 = 6
        static let enumerated: UInt8 = 10
        static let containers: Set<UInt8> = [8, 11, 16, 17]
    }

    /// Whether the bytes are exactly one value, whose first byte (its tag) is `tag`. A type may
    /// give its strings and numbers context tags, which do not say what they are: `pieceless` has
    /// the numbers of those that may not come in pieces, for each depth below the value.
    static func isOneValue(
        _ bytes: [UInt8], tag: UInt8, pieceless: [Set<UInt8>] = []
    ) -> Bool {
        guard bytes.first == tag else { return false }
        var rest = bytes[...]
        return skipValue(of: &rest, depth: 0, [[]] + pieceless) && rest.isEmpty
    }

    /// Removes a value from the front; false if it breaks a rule.
    private static func skipValue(
        of rest: inout ArraySlice<UInt8>, depth: Int, _ pieceless: ArraySlice<Set<UInt8>>
    ) -> Bool {
        guard depth < depthMax, let tag = rest.popFirst() else { return false }
        let number = tag & 0x1F
        if number == 0x1F, !skipLongTag(of: &rest) { return false }
        guard let count = length(from: &rest), rest.count >= count else { return false }
        var content = rest.prefix(count)
        rest = rest.dropFirst(count)
        let isConstructed = tag & 0x20 != 0
        let isUniversal = tag & 0xC0 == 0
        // What contains values is constructed, and nothing else: strings come in one piece.
        if isUniversal, isConstructed != Tag.containers.contains(number) { return false }
        guard isConstructed else { return !isUniversal || isPrimitive(content, number) }
        let isContext = tag & 0xC0 == 0x80
        if isContext, pieceless.first?.contains(number) == true { return false }
        while !content.isEmpty {
            guard skipValue(of: &content, depth: depth + 1, pieceless.dropFirst()) else {
                return false
            }
        }
        return true
    }

    /// A tag's number in several bytes (§8.1.2.4): above 30, without leading zeros.
    private static func skipLongTag(of rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.popFirst(), first != 0x80 else { return false }
        guard first & 0x80 != 0 else { return first > 30 }
        while let byte = rest.popFirst() {
            if byte & 0x80 == 0 { return true }
        }
        return false
    }

    /// A definite length in as few bytes as possible (§10.1).
    private static func length(from rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first & 0x80 != 0 else { return Int(first) }
        let byteCount = Int(first & 0x7F)
        guard 1...4 ~= byteCount, rest.count >= byteCount, rest.first != 0 else { return nil }
        let length = rest.prefix(byteCount).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(byteCount)
        return length < 0x80 ? nil : length
    }

    private static func isPrimitive(_ content: ArraySlice<UInt8>, _ number: UInt8) -> Bool {
        switch number {
        case Tag.boolean: content.elementsEqual([0]) || content.elementsEqual([0xFF])
        case Tag.integer, Tag.enumerated: isShortestInteger(content)
        case Tag.bitString: isBitString(content)
        case Tag.null: content.isEmpty
        case Tag.objectIdentifier: isObjectIdentifier(content)
        // Marks the end of indefinite lengths, which these rules do not have.
        case 0: false
        default: true
        }
    }

    /// §8.3.2: the first nine bits are not all the same.
    private static func isShortestInteger(_ content: ArraySlice<UInt8>) -> Bool {
        guard let first = content.first else { return false }
        guard let second = content.dropFirst().first else { return true }
        return first == 0 ? second & 0x80 != 0 : first != 0xFF || second & 0x80 == 0
    }

    /// §11.2.1: the unused bits of the last byte are zero.
    private static func isBitString(_ content: ArraySlice<UInt8>) -> Bool {
        guard let unusedCount = content.first, unusedCount < 8 else { return false }
        guard content.count > 1, let last = content.last else { return unusedCount == 0 }
        return last.trailingZeroBitCount >= Int(unusedCount)
    }

    /// §8.19: numbers of seven bits a byte, without leading zeros.
    private static func isObjectIdentifier(_ content: ArraySlice<UInt8>) -> Bool {
        guard let last = content.last, last & 0x80 == 0 else { return false }
        var isAtStart = true
        for byte in content {
            if isAtStart, byte == 0x80 { return false }
            isAtStart = byte & 0x80 == 0
        }
        return true
    }
}
