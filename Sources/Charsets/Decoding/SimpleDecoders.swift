/// Encodings whose characters are single bytes.
struct SingleByteDecoder: CharacterDecoder {
    private let upper: CharacterTable?

    init(_ charset: Charset) { upper = SingleByteTables.characters(charset) }

    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        let byte = bytes[index]
        index &+= 1
        if byte < 0x80 { return .character(Unicode.Scalar(byte)) }
        return upper?[Int(byte &- 0x80)].map { .character($0) } ?? .invalid
    }
}

struct UserDefinedDecoder: CharacterDecoder {
    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        let byte = bytes[index]
        index &+= 1
        let value = byte < 0x80 ? UInt32(byte) : 0xF780 + UInt32(byte &- 0x80)
        return Unicode.Scalar(value).map { .character($0) } ?? .invalid
    }
}

/// A text of any length is one U+FFFD.
struct ReplacementDecoder: CharacterDecoder {
    private var isReported = false

    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter {
        index = bytes.count
        defer { isReported = true }
        return isReported ? .nothing : .invalid
    }
}
