struct GB18030Encoder: CharacterEncoder {
    let isGBK: Bool
    private let table = PointerTable.gb18030

    init(isGBK: Bool) { self.isGBK = isGBK }

    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        if character.appendASCII(to: &bytes) { return true }
        if character == "\u{E5E5}" { return false }
        if isGBK, character == "\u{20AC}" {
            bytes.append(0x80)
            return true
        }
        if let (lead, trail) = GB18030Ranges.formerBytes[character.value] {
            bytes += [lead, trail]
            return true
        }
        if let pointer = table[character] {
            let trail = UInt8(pointer % 190)
            bytes += [UInt8(pointer / 190) + 0x81, trail + (trail < 0x3F ? 0x40 : 0x41)]
            return true
        }
        guard !isGBK, let pointer = GB18030Ranges.pointer(character) else { return false }
        bytes += [
            UInt8(pointer / 12_600) + 0x81, UInt8(pointer / 1260 % 10) + 0x30,
            UInt8(pointer / 10 % 126) + 0x81, UInt8(pointer % 10) + 0x30,
        ]
        return true
    }
}

struct Big5Encoder: CharacterEncoder {
    private let table = PointerTable.big5

    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        if character.appendASCII(to: &bytes) { return true }
        guard let pointer = table[character] else { return false }
        let trail = UInt8(pointer % 157)
        bytes += [UInt8(pointer / 157) + 0x81, trail + (trail < 0x3F ? 0x40 : 0x62)]
        return true
    }
}

struct EUCKREncoder: CharacterEncoder {
    private let table = PointerTable.eucKR

    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        if character.appendASCII(to: &bytes) { return true }
        guard let pointer = table[character] else { return false }
        bytes += [UInt8(pointer / 190) + 0x81, UInt8(pointer % 190) + 0x41]
        return true
    }
}

struct ShiftJISEncoder: CharacterEncoder {
    private let table = PointerTable.shiftJIS

    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        if character.appendASCII(to: &bytes) { return true }
        if character == "\u{80}" {
            bytes.append(0x80)
        } else if let roman = character.romanByte {
            bytes.append(roman)
        } else if let katakana = character.katakanaByte {
            bytes.append(katakana)
        } else if 0xE000...0xE757 ~= character.value {
            append(pointer: Int(character.value) - 0xE000 + 8836, &bytes)
        } else {
            guard let pointer = table[character.withoutMinusSign] else { return false }
            append(pointer: pointer, &bytes)
        }
        return true
    }

    private func append(pointer: Int, _ bytes: inout [UInt8]) {
        let (lead, trail) = (UInt8(pointer / 188), UInt8(pointer % 188))
        bytes += [lead + (lead < 0x1F ? 0x81 : 0xC1), trail + (trail < 0x3F ? 0x40 : 0x41)]
    }
}

struct EUCJPEncoder: CharacterEncoder {
    private let table = PointerTable.jis0208

    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        if character.appendASCII(to: &bytes) { return true }
        if let roman = character.romanByte {
            bytes.append(roman)
        } else if let katakana = character.katakanaByte {
            bytes += [0x8E, katakana]
        } else {
            guard let pointer = table[character.withoutMinusSign], pointer < 94 * 94 else {
                return false
            }
            bytes += [UInt8(pointer / 94) + 0xA1, UInt8(pointer % 94) + 0xA1]
        }
        return true
    }
}

/// Writes an escape sequence wherever the set of characters changes.
struct ISO2022JPEncoder: CharacterEncoder {
    private var set: ISO2022JPSet
    /// The character set of what follows the text; nil if that begins with an escape sequence.
    private let end: ISO2022JPSet?
    private let table = PointerTable.jis0208

    init(set: ISO2022JPSet = .ascii, end: ISO2022JPSet? = .ascii) {
        self.set = set
        self.end = end
    }

    mutating func append(_ character: Unicode.Scalar, to bytes: inout [UInt8]) -> Bool {
        if character == "\u{E}" || character == "\u{F}" || character == "\u{1B}" { return false }
        if character.isASCII {
            let isInRoman = set == .roman && character != "\\" && character != "~"
            if !isInRoman { choose(.ascii, &bytes) }
            bytes.append(UInt8(truncatingIfNeeded: character.value))
            return true
        }
        if let roman = character.romanByte {
            choose(.roman, &bytes)
            bytes.append(roman)
            return true
        }
        let isHalfWidth = 0xFF61...0xFF9F ~= character.value
        let whole =
            isHalfWidth
            ? PointerTable.fullWidthKatakana[Int(character.value - 0xFF61)]
            : character.withoutMinusSign
        guard let pointer = table[whole], pointer < 94 * 94 else { return false }
        choose(.jis0208, &bytes)
        bytes += [UInt8(pointer / 94) + 0x21, UInt8(pointer % 94) + 0x21]
        return true
    }

    mutating func finish(_ bytes: inout [UInt8]) {
        if let end { choose(end, &bytes) }
    }

    private mutating func choose(_ chosen: ISO2022JPSet, _ bytes: inout [UInt8]) {
        guard set != chosen else { return }
        set = chosen
        bytes += chosen == .jis0208 ? [0x1B, 0x24, 0x42] : [0x1B, 0x28, chosen.rawValue]
    }
}

extension Unicode.Scalar {
    fileprivate func appendASCII(to bytes: inout [UInt8]) -> Bool {
        guard isASCII else { return false }
        bytes.append(UInt8(truncatingIfNeeded: value))
        return true
    }

    /// The byte of the yen sign and the overline, which JIS X 0201 has in place of two of ASCII.
    fileprivate var romanByte: UInt8? {
        switch self {
        case "\u{A5}": 0x5C
        case "\u{203E}": 0x7E
        default: nil
        }
    }

    /// The byte of half-width Katakana in JIS X 0201.
    fileprivate var katakanaByte: UInt8? {
        0xFF61...0xFF9F ~= value ? UInt8(value - 0xFF61 + 0xA1) : nil
    }

    /// The minus sign is encoded as the full-width hyphen-minus.
    fileprivate var withoutMinusSign: Unicode.Scalar { self == "\u{2212}" ? "\u{FF0D}" : self }
}
