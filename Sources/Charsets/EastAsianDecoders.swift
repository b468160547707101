/// Big5, EUC-KR and the two-byte part of other encodings: a lead byte and a trail byte.
struct TwoBytes {
    /// The trail byte; nil if the bytes end before it.
    static func trail(_ bytes: Span<UInt8>, _ index: Int) -> UInt8? {
        index &+ 1 < bytes.count ? bytes[index &+ 1] : nil
    }

    /// Ends a sequence that is cut off by the end of the bytes.
    static func cut(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        guard isEnd else { return .incomplete }
        index = bytes.count
        return .invalid
    }

    /// Ends a sequence with a character; without one, before its trail byte if that is ASCII.
    static func end(
        _ character: Unicode.Scalar?, trail: UInt8, _ index: inout Int
    ) -> DecodedCharacter {
        guard let character else {
            index &+= trail < 0x80 ? 1 : 2
            return .invalid
        }
        index &+= 2
        return .character(character)
    }
}

struct Big5Decoder: CharacterDecoder {
    private let table = CharacterTable.big5

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        let lead = bytes[index]
        guard 0x81...0xFE ~= lead else {
            index &+= 1
            return lead < 0x80 ? .character(Unicode.Scalar(lead)) : .invalid
        }
        guard let trail = TwoBytes.trail(bytes, index) else {
            return TwoBytes.cut(bytes, &index, isEnd: isEnd)
        }
        guard 0x40...0x7E ~= trail || 0xA1...0xFE ~= trail else {
            return TwoBytes.end(nil, trail: trail, &index)
        }
        let pointer = Int(lead &- 0x81) * 157 + Int(trail &- (trail < 0x7F ? 0x40 : 0x62))
        if let pair = Big5Decoder.pair(pointer) {
            index &+= 2
            return pair
        }
        return TwoBytes.end(table[pointer], trail: trail, &index)
    }

    private static func pair(_ pointer: Int) -> DecodedCharacter? {
        switch pointer {
        case 1133: .pair("\u{CA}", "\u{304}")
        case 1135: .pair("\u{CA}", "\u{30C}")
        case 1164: .pair("\u{EA}", "\u{304}")
        case 1166: .pair("\u{EA}", "\u{30C}")
        default: nil
        }
    }
}

struct EUCKRDecoder: CharacterDecoder {
    private let table = CharacterTable.euckr

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        let lead = bytes[index]
        guard 0x81...0xFE ~= lead else {
            index &+= 1
            return lead < 0x80 ? .character(Unicode.Scalar(lead)) : .invalid
        }
        guard let trail = TwoBytes.trail(bytes, index) else {
            return TwoBytes.cut(bytes, &index, isEnd: isEnd)
        }
        let character =
            0x41...0xFE ~= trail ? table[Int(lead &- 0x81) * 190 + Int(trail &- 0x41)] : nil
        return TwoBytes.end(character, trail: trail, &index)
    }
}

/// GBK and GB 18030, which decode alike.
struct GB18030Decoder: CharacterDecoder {
    private let table = CharacterTable.gb18030

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        let lead = bytes[index]
        guard 0x81...0xFE ~= lead else {
            index &+= 1
            if lead == 0x80 { return .character("\u{20AC}") }
            return lead < 0x80 ? .character(Unicode.Scalar(lead)) : .invalid
        }
        guard let second = TwoBytes.trail(bytes, index) else {
            return TwoBytes.cut(bytes, &index, isEnd: isEnd)
        }
        if 0x30...0x39 ~= second { return fourBytes(bytes, &index, isEnd: isEnd) }
        guard 0x40...0x7E ~= second || 0x80...0xFE ~= second else {
            return TwoBytes.end(nil, trail: second, &index)
        }
        let offset: UInt8 = second < 0x7F ? 0x40 : 0x41
        let pointer = Int(lead &- 0x81) * 190 + Int(second &- offset)
        return TwoBytes.end(table[pointer], trail: second, &index)
    }

    /// Decodes four bytes of which two are valid. If the third or the fourth is not, one byte is
    /// invalid, and the others are read again.
    private func fourBytes(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        guard index &+ 2 < bytes.count else { return TwoBytes.cut(bytes, &index, isEnd: isEnd) }
        let third = bytes[index &+ 2]
        guard 0x81...0xFE ~= third else {
            index &+= 1
            return .invalid
        }
        guard index &+ 3 < bytes.count else { return TwoBytes.cut(bytes, &index, isEnd: isEnd) }
        let fourth = bytes[index &+ 3]
        guard 0x30...0x39 ~= fourth else {
            index &+= 1
            return .invalid
        }
        let pointer =
            (Int(bytes[index] &- 0x81) &* 10 &+ Int(bytes[index &+ 1] &- 0x30)) * 1260
            + Int(third &- 0x81) &* 10 &+ Int(fourth &- 0x30)
        index &+= 4
        return GB18030Ranges.character(pointer).map { .character($0) } ?? .invalid
    }
}

struct ShiftJISDecoder: CharacterDecoder {
    private let table = CharacterTable.jis0208

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        let lead = bytes[index]
        guard 0x81...0x9F ~= lead || 0xE0...0xFC ~= lead else {
            index &+= 1
            switch lead {
            case 0...0x80: return .character(Unicode.Scalar(lead))
            case 0xA1...0xDF: return .character(halfWidthKatakana(lead))
            default: return .invalid
            }
        }
        guard let trail = TwoBytes.trail(bytes, index) else {
            return TwoBytes.cut(bytes, &index, isEnd: isEnd)
        }
        guard 0x40...0x7E ~= trail || 0x80...0xFC ~= trail else {
            return TwoBytes.end(nil, trail: trail, &index)
        }
        let leadOffset: UInt8 = lead < 0xA0 ? 0x81 : 0xC1
        let trailOffset: UInt8 = trail < 0x7F ? 0x40 : 0x41
        let pointer = Int(lead &- leadOffset) * 188 + Int(trail &- trailOffset)
        return TwoBytes.end(character(pointer), trail: trail, &index)
    }

    /// Characters that users define are in the Private Use Area.
    private func character(_ pointer: Int) -> Unicode.Scalar? {
        guard 8836...10715 ~= pointer else { return table[pointer] }
        return Unicode.Scalar(UInt32(0xE000 - 8836 + pointer))
    }
}

/// The character of a byte from 0xA1 to 0xDF.
private func halfWidthKatakana(_ byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(0xFF61 + UInt32(byte &- 0xA1)) ?? "\u{FFFD}"
}

struct EUCJPDecoder: CharacterDecoder {
    private let table = CharacterTable.jis0208

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        let lead = bytes[index]
        guard lead == 0x8E || lead == 0x8F || 0xA1...0xFE ~= lead else {
            index &+= 1
            return lead < 0x80 ? .character(Unicode.Scalar(lead)) : .invalid
        }
        guard let trail = TwoBytes.trail(bytes, index) else {
            return TwoBytes.cut(bytes, &index, isEnd: isEnd)
        }
        switch lead {
        case 0x8E where 0xA1...0xDF ~= trail:
            return TwoBytes.end(halfWidthKatakana(trail), trail: trail, &index)
        case 0x8F where 0xA1...0xFE ~= trail: return threeBytes(bytes, &index, isEnd: isEnd)
        default:
            let character = EUCJPDecoder.pointer(lead, trail).flatMap { table[$0] }
            return TwoBytes.end(character, trail: trail, &index)
        }
    }

    /// Decodes a character of JIS X 0212, whose first two bytes are valid.
    private func threeBytes(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        guard index &+ 2 < bytes.count else { return TwoBytes.cut(bytes, &index, isEnd: isEnd) }
        let trail = bytes[index &+ 2]
        let pointer = EUCJPDecoder.pointer(bytes[index &+ 1], trail)
        guard let character = pointer.flatMap({ CharacterTable.jis0212[$0] }) else {
            index &+= trail < 0x80 ? 2 : 3
            return .invalid
        }
        index &+= 3
        return .character(character)
    }

    private static func pointer(_ lead: UInt8, _ trail: UInt8) -> Int? {
        guard 0xA1...0xFE ~= lead, 0xA1...0xFE ~= trail else { return nil }
        return Int(lead &- 0xA1) * 94 + Int(trail &- 0xA1)
    }
}

/// The sets of characters of ISO-2022-JP, each by a byte of the escape sequence that chooses it.
enum ISO2022JPSet: UInt8 {
    case ascii = 0x42
    case roman = 0x4A
    case katakana = 0x49
    case jis0208 = 0x24
}

/// ISO-2022-JP: escape sequences choose the set of the characters that follow.
struct ISO2022JPDecoder: CharacterDecoder {
    private(set) var set = ISO2022JPSet.ascii
    /// Whether nothing followed the last escape sequence: another one is then an error.
    private var hasJustEscaped = false
    private let table = CharacterTable.jis0208

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        let byte = bytes[index]
        if byte == 0x1B { return escape(bytes, &index, isEnd: isEnd) }
        if set == .jis0208, 0x21...0x7E ~= byte { return twoBytes(bytes, &index, isEnd: isEnd) }
        index &+= 1
        hasJustEscaped = false
        return character(byte).map { .character($0) } ?? .invalid
    }

    private func character(_ byte: UInt8) -> Unicode.Scalar? {
        switch set {
        case .katakana: return 0x21...0x5F ~= byte ? halfWidthKatakana(byte &+ 0x80) : nil
        case .jis0208: return nil
        case .roman where byte == 0x5C: return "\u{A5}"
        case .roman where byte == 0x7E: return "\u{203E}"
        case .ascii, .roman:
            return byte < 0x80 && byte != 0x0E && byte != 0x0F ? Unicode.Scalar(byte) : nil
        }
    }

    private mutating func twoBytes(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        guard let trail = TwoBytes.trail(bytes, index) else {
            return TwoBytes.cut(bytes, &index, isEnd: isEnd)
        }
        hasJustEscaped = false
        guard trail != 0x1B else {
            index &+= 1
            return .invalid
        }
        let lead = bytes[index]
        index &+= 2
        guard 0x21...0x7E ~= trail else { return .invalid }
        let character = table[Int(lead &- 0x21) * 94 + Int(trail &- 0x21)]
        return character.map { .character($0) } ?? .invalid
    }

    private mutating func escape(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        let isCut = index &+ 2 >= bytes.count
        let second = TwoBytes.trail(bytes, index)
        if isCut, !isEnd, second == nil || second == 0x24 || second == 0x28 { return .incomplete }
        let chosen = isCut ? nil : ISO2022JPDecoder.set(bytes[index &+ 1], bytes[index &+ 2])
        guard let chosen else {
            index &+= 1
            hasJustEscaped = false
            return .invalid
        }
        index &+= 3
        set = chosen
        defer { hasJustEscaped = true }
        return hasJustEscaped ? .invalid : .nothing
    }

    private static func set(_ first: UInt8, _ second: UInt8) -> ISO2022JPSet? {
        switch (first, second) {
        case (0x28, 0x42): .ascii
        case (0x28, 0x4A): .roman
        case (0x28, 0x49): .katakana
        case (0x24, 0x40), (0x24, 0x42): .jis0208
        default: nil
        }
    }
}
