/// Big5, EUC-KR and the two-byte part of other encodings: a lead byte and a trail byte.
struct TwoBytes {
    /// The trail byte; nil if the bytes end before it.
    static func trail(_ bytes: Span<UInt8>, _ index: Int) -> UInt8? {
        index &+ 1 < bytes.count ? bytes[index &+ 1] : nil
    }

    /// Ends a sequence that ends the bytes.
    static func cut(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
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

    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
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

    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
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

    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
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

    /// Decodes four bytes of which two are valid. What is invalid is one byte; the others are read
    /// again.
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
            (Int(bytes[index] &- 0x81) * 10 + Int(bytes[index &+ 1] &- 0x30)) * 1260
            + Int(third &- 0x81) * 10 + Int(fourth &- 0x30)
        index &+= 4
        return GB18030Ranges.character(pointer).map { .character($0) } ?? .invalid
    }
}
