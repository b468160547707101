/// Encodes characters (WHATWG Encoding, the "encoder" of each encoding).
protocol CharacterEncoder {
    /// Appends a character's bytes; returns false, and appends nothing, if the charset lacks it.
    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool

    /// Appends what has to follow the last character.
    mutating func finish(_ bytes: inout [UInt8])
}

extension CharacterEncoder {
    mutating func finish(_ bytes: inout [UInt8]) {}
}

extension Charset {
    /// The bytes of a text, without a byte order mark. What the standard encodes as UTF-8, which
    /// is UTF-16, is encoded as itself; `replacement` is encoded as UTF-8.
    public func encode(_ text: String) throws(UnencodableCharacter) -> [UInt8] {
        if self == .utf8 || self == .replacement { return Array(text.utf8) }
        return try encode(text, with: encoder)
    }

    func encode(
        _ text: String, with encoder: some CharacterEncoder
    ) throws(UnencodableCharacter) -> [UInt8] {
        var encoder = encoder
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for character in text.unicodeScalars {
            guard encoder.append(character, to: &bytes) else {
                throw UnencodableCharacter(character: character, charset: self)
            }
        }
        encoder.finish(&bytes)
        return bytes
    }

    private var encoder: any CharacterEncoder {
        switch self {
        case .utf16LittleEndian, .utf16BigEndian: UTF16Encoder(isBigEndian: isBigEndian)
        case .utf32LittleEndian, .utf32BigEndian: UTF32Encoder(isBigEndian: isBigEndian)
        case .gbk: GB18030Encoder(isGBK: true)
        case .gb18030: GB18030Encoder(isGBK: false)
        case .big5: Big5Encoder()
        case .eucJP: EUCJPEncoder()
        case .iso2022JP: ISO2022JPEncoder()
        case .shiftJIS: ShiftJISEncoder()
        case .eucKR: EUCKREncoder()
        case .xUserDefined: UserDefinedEncoder()
        default: SingleByteEncoder(self)
        }
    }
}

struct UTF16Encoder: CharacterEncoder {
    let isBigEndian: Bool

    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        for unit in character.utf16 {
            let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
            bytes += isBigEndian ? [high, low] : [low, high]
        }
        return true
    }
}

struct UTF32Encoder: CharacterEncoder {
    let isBigEndian: Bool

    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        for step in 0..<UInt32(4) {
            let shift = isBigEndian ? 24 - 8 * step : 8 * step
            bytes.append(UInt8(truncatingIfNeeded: character.value >> shift))
        }
        return true
    }
}

struct SingleByteEncoder: CharacterEncoder {
    private let upper: PointerTable?

    init(_ charset: Charset) { upper = SingleByteTables.pointers(charset) }

    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        if character.isASCII {
            bytes.append(UInt8(truncatingIfNeeded: character.value))
        } else {
            guard let pointer = upper?[character] else { return false }
            bytes.append(0x80 | UInt8(truncatingIfNeeded: pointer))
        }
        return true
    }
}

struct UserDefinedEncoder: CharacterEncoder {
    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        guard character.isASCII || 0xF780...0xF7FF ~= character.value else { return false }
        bytes.append(UInt8(truncatingIfNeeded: character.value))
        return true
    }
}
