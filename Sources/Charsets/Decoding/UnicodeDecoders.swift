/// UTF-8, for texts that have to be read character by character.
struct UTF8Decoder: CharacterDecoder {
    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        let lead = bytes[index]
        if lead < 0x80 {
            index &+= 1
            return .character(Unicode.Scalar(lead))
        }
        guard let byteCount = UTF8Decoder.byteCount(lead) else {
            index &+= 1
            return .invalid
        }
        var value = UInt32(lead) & (0x7F >> UInt32(byteCount))
        for offset in 1..<byteCount {
            guard index &+ offset < bytes.count else {
                guard isEnd else { return .incomplete }
                index = bytes.count
                return .invalid
            }
            let byte = bytes[index &+ offset]
            guard UTF8Decoder.trails(lead, at: offset).contains(byte) else {
                index &+= offset
                return .invalid
            }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        index &+= byteCount
        return Unicode.Scalar(value).map { .character($0) } ?? .invalid
    }

    private static func byteCount(_ lead: UInt8) -> Int? {
        switch lead {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: nil
        }
    }

    /// The bytes that may follow: not those of surrogates, of characters that take fewer bytes, or
    /// beyond U+10FFFF.
    private static func trails(_ lead: UInt8, at offset: Int) -> ClosedRange<UInt8> {
        guard offset == 1 else { return 0x80...0xBF }
        return switch lead {
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
    }
}

struct UTF16Decoder: CharacterDecoder {
    let isBigEndian: Bool

    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        guard let first = unit(bytes, index) else { return rest(bytes, &index, isEnd) }
        guard UTF16.isLeadSurrogate(first) else {
            index &+= 2
            return Unicode.Scalar(first).map { .character($0) } ?? .invalid
        }
        guard let second = unit(bytes, index &+ 2) else { return rest(bytes, &index, isEnd) }
        index &+= 2
        guard UTF16.isTrailSurrogate(second) else { return .invalid }
        index &+= 2
        let value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
        return Unicode.Scalar(value).map { .character($0) } ?? .invalid
    }

    private func unit(_ bytes: Span<UInt8>, _ index: Int) -> UInt16? {
        guard index &+ 1 < bytes.count else { return nil }
        let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index &+ 1]))
        return isBigEndian ? first << 8 | second : second << 8 | first
    }

    private func rest(
        _ bytes: Span<UInt8>, _ index: inout Int, _ isEnd: Bool
    ) -> DecodedCharacter {
        guard isEnd else { return .incomplete }
        index = bytes.count
        return .invalid
    }
}

struct UTF32Decoder: CharacterDecoder {
    let isBigEndian: Bool

    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        guard index &+ 3 < bytes.count else {
            guard isEnd else { return .incomplete }
            index = bytes.count
            return .invalid
        }
        var value: UInt32 = 0
        for step in 0..<4 {
            let byte = bytes[index &+ (isBigEndian ? step : 3 - step)]
            value = value << 8 | UInt32(byte)
        }
        index &+= 4
        return Unicode.Scalar(value).map { .character($0) } ?? .invalid
    }
}
