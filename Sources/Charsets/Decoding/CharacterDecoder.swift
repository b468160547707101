/// What a decoder found at a place.
enum DecodedCharacter: Equatable {
    case character(Unicode.Scalar)
    /// A letter and its mark: four sequences of Big5.
    case pair(Unicode.Scalar, Unicode.Scalar)
    /// Bytes without a character, such as an escape sequence.
    case nothing
    /// Bytes that are replaced by U+FFFD.
    case invalid
    /// The bytes end within a character, and more may follow.
    case incomplete
}

/// Decodes bytes, character by character (WHATWG Encoding, the "decoder" of each encoding).
protocol CharacterDecoder {
    /// Decodes what begins at `index` and moves `index` after it, except before what is incomplete.
    /// - Parameter isEnd: Whether nothing follows `bytes`.
    mutating func next(
        _ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool
    ) -> DecodedCharacter
}

extension Charset {
    var decoder: any CharacterDecoder {
        switch self {
        case .utf8: UTF8Decoder()
        case .utf16LittleEndian, .utf16BigEndian: UTF16Decoder(isBigEndian: isBigEndian)
        case .utf32LittleEndian, .utf32BigEndian: UTF32Decoder(isBigEndian: isBigEndian)
        case .gbk, .gb18030: GB18030Decoder()
        case .big5: Big5Decoder()
        case .eucJP: EUCJPDecoder()
        case .iso2022JP: ISO2022JPDecoder()
        case .shiftJIS: ShiftJISDecoder()
        case .eucKR: EUCKRDecoder()
        case .replacement: ReplacementDecoder()
        case .xUserDefined: UserDefinedDecoder()
        default: SingleByteDecoder(self)
        }
    }
}
