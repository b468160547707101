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
    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter
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

    /// Decodes bytes, which have no byte order mark. What is invalid becomes U+FFFD.
    /// - Parameter isTruncated: Whether the bytes are only the start: then an incomplete character
    ///   at the end is left out and does not count as lossy.
    public func decode(_ bytes: Span<UInt8>, isTruncated: Bool = false) -> DecodedText {
        if self == .utf8, let span = try? UTF8Span(validating: bytes) {
            return DecodedText(text: String(copying: span), charset: self, isLossy: false)
        }
        let decoded = utf8(bytes, isTruncated: isTruncated)
        return DecodedText(
            text: String(decoding: decoded.bytes, as: UTF8.self), charset: self,
            isLossy: decoded.isLossy)
    }

    /// The text of bytes as UTF-8, as for `decode`.
    func utf8(_ bytes: Span<UInt8>, isTruncated: Bool) -> (bytes: [UInt8], isLossy: Bool) {
        decode(bytes, isTruncated: isTruncated, with: decoder)
    }

    private func decode(
        _ bytes: Span<UInt8>, isTruncated: Bool, with decoder: some CharacterDecoder
    ) -> (bytes: [UInt8], isLossy: Bool) {
        var decoder = decoder
        var output = UTF8Output(capacity: bytes.count)
        var index = 0
        while index < bytes.count {
            guard output.append(decoder.next(bytes, &index, isEnd: !isTruncated)) else { break }
        }
        return (output.bytes, output.isLossy)
    }
}

struct UTF8Output {
    private(set) var bytes: [UInt8] = []
    private(set) var isLossy = false

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends what a decoder found. Returns false if it needs more bytes.
    mutating func append(_ found: DecodedCharacter) -> Bool {
        switch found {
        case .character(let character): append(character)
        case .pair(let first, let second):
            append(first)
            append(second)
        case .nothing: break
        case .invalid:
            isLossy = true
            append("\u{FFFD}")
        case .incomplete: return false
        }
        return true
    }

    private mutating func append(_ character: Unicode.Scalar) {
        if character.isASCII {
            bytes.append(UInt8(truncatingIfNeeded: character.value))
        } else {
            bytes.append(contentsOf: character.utf8)
        }
    }
}

/// A place between two characters, where a long text is split.
public struct TextSplit: Sendable, Hashable {
    /// The size of the part before it, in bytes; 0 if no character is whole.
    public let byteCount: Int
    /// The escape sequence that decides how the part after it is read, for use in front of it.
    /// Empty in all charsets but ISO-2022-JP.
    public let escape: [UInt8]
}

extension Charset {
    /// The last place in a text that is between two characters.
    /// - Parameter escape: The escape sequence that an earlier split gave.
    public func split(_ bytes: Span<UInt8>, after escape: [UInt8] = []) -> TextSplit {
        if self == .utf8 {
            return TextSplit(byteCount: UTF8Check.wholeByteCount(bytes), escape: [])
        }
        return split(bytes, after: escape, with: decoder)
    }

    private func split(
        _ bytes: Span<UInt8>, after escape: [UInt8], with decoder: some CharacterDecoder
    ) -> TextSplit {
        var decoder = decoder
        var index = 0
        let sequence = escape.span
        while index < sequence.count,
            decoder.next(sequence, &index, isEnd: false) != .incomplete
        {}
        index = 0
        var last = escape
        while index < bytes.count {
            let start = index
            let found = decoder.next(bytes, &index, isEnd: false)
            if found == .incomplete { break }
            if self == .iso2022JP, bytes[start] == 0x1B, index &- start == 3 {
                last = (start..<index).map { bytes[$0] }
            }
        }
        return TextSplit(byteCount: index, escape: last)
    }
}

/// UTF-8, for texts that have to be read character by character.
struct UTF8Decoder: CharacterDecoder {
    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
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

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
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

    private func rest(_ bytes: Span<UInt8>, _ index: inout Int, _ isEnd: Bool) -> DecodedCharacter {
        guard isEnd else { return .incomplete }
        index = bytes.count
        return .invalid
    }
}

struct UTF32Decoder: CharacterDecoder {
    let isBigEndian: Bool

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
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

struct SingleByteDecoder: CharacterDecoder {
    private let upper: CharacterTable?

    init(_ charset: Charset) { upper = SingleByteTables.characters(charset) }

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        let byte = bytes[index]
        index &+= 1
        if byte < 0x80 { return .character(Unicode.Scalar(byte)) }
        return upper?[Int(byte &- 0x80)].map { .character($0) } ?? .invalid
    }
}

struct UserDefinedDecoder: CharacterDecoder {
    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        let byte = bytes[index]
        index &+= 1
        let value = byte < 0x80 ? UInt32(byte) : 0xF780 + UInt32(byte &- 0x80)
        return Unicode.Scalar(value).map { .character($0) } ?? .invalid
    }
}

/// A text of any length is one U+FFFD.
struct ReplacementDecoder: CharacterDecoder {
    private var isReported = false

    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int, isEnd: Bool) -> DecodedCharacter {
        index = bytes.count
        defer { isReported = true }
        return isReported ? .nothing : .invalid
    }
}
