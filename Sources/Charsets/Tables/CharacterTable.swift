/// The characters of an index of the standard, by their pointers.
struct CharacterTable: Sendable {
    /// The code points; 0 where a pointer has no character.
    private let codePoints: [UInt32]

    /// Reads a table that has a full stop for each pointer without a character.
    init(_ text: StaticString) {
        codePoints = text.withUTF8Buffer { bytes in
            String(decoding: bytes, as: UTF8.self).unicodeScalars.map { $0 == "." ? 0 : $0.value }
        }
    }

    subscript(pointer: Int) -> Unicode.Scalar? {
        guard codePoints.indices.contains(pointer), codePoints[pointer] != 0 else { return nil }
        return Unicode.Scalar(codePoints[pointer])
    }

    /// The pointers of all characters, without those in a range. Of several pointers of a character
    /// the first is used.
    func pointers(
        without excluded: Range<Int> = 0..<0, lastOf preferred: Set<UInt32> = []
    ) -> PointerTable {
        var pointers: [UInt32: Int] = [:]
        pointers.reserveCapacity(codePoints.count)
        for (pointer, codePoint) in codePoints.enumerated()
        where codePoint != 0 && !excluded.contains(pointer) {
            if pointers[codePoint] == nil || preferred.contains(codePoint) {
                pointers[codePoint] = pointer
            }
        }
        return PointerTable(pointers: pointers)
    }
}

/// The pointers of an index of the standard, by their characters.
struct PointerTable: Sendable {
    fileprivate let pointers: [UInt32: Int]

    subscript(character: Unicode.Scalar) -> Int? { pointers[character.value] }

    static let jis0208 = CharacterTable.jis0208.pointers()
    /// Without the characters that NEC selected from IBM's, which have others, too.
    static let shiftJIS = CharacterTable.jis0208.pointers(without: 8272..<8836)
    static let gb18030 = CharacterTable.gb18030.pointers()
    static let eucKR = CharacterTable.euckr.pointers()
    /// Without those of Hong Kong, and with the pointers that implementations always used.
    static let big5 = CharacterTable.big5.pointers(
        without: 0..<(0xA1 - 0x81) * 157, lastOf: [0x2550, 0x255E, 0x2561, 0x256A, 0x5341, 0x5345])
    /// Half-width Katakana from U+FF61 on as pointers of JIS X 0208, for ISO-2022-JP.
    static let fullWidthKatakana: [Unicode.Scalar] = Array(
        """
        。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモ\
        ヤユヨラリルレロワン゛゜
        """.unicodeScalars)
}

/// The tables of encodings whose characters are single bytes.
enum SingleByteTables {
    private static let byCharset: [Charset: CharacterTable] = Dictionary(
        uniqueKeysWithValues: Charset.allCases.compactMap { charset in
            charset.upperCharacters.map { (charset, CharacterTable($0)) }
        })
    private static let pointersByCharset = byCharset.mapValues { $0.pointers() }

    static func characters(_ charset: Charset) -> CharacterTable? { byCharset[charset] }

    static func pointers(_ charset: Charset) -> PointerTable? { pointersByCharset[charset] }
}

/// The four-byte characters of GB 18030: ranges of what no shorter sequence encodes.
enum GB18030Ranges {
    static func character(_ pointer: Int) -> Unicode.Scalar? {
        guard !(39_420..<189_000).contains(pointer), pointer <= 1_237_575 else { return nil }
        if pointer == 7457 { return "\u{E7C7}" }
        guard let start = starts.last(where: { $0.pointer <= pointer }) else { return nil }
        return Unicode.Scalar(start.codePoint + UInt32(pointer - start.pointer))
    }

    static func pointer(_ character: Unicode.Scalar) -> Int? {
        if character == "\u{E7C7}" { return 7457 }
        guard let start = starts.last(where: { $0.codePoint <= character.value }) else {
            return nil
        }
        return start.pointer + Int(character.value - start.codePoint)
    }

    /// Characters of the Private Use Area that earlier editions used, and their two bytes.
    static let formerBytes: [UInt32: (UInt8, UInt8)] = [
        0xE81E: (0xFE, 0x59), 0xE826: (0xFE, 0x61), 0xE82B: (0xFE, 0x66), 0xE82C: (0xFE, 0x67),
        0xE832: (0xFE, 0x6D), 0xE843: (0xFE, 0x7E), 0xE854: (0xFE, 0x90), 0xE864: (0xFE, 0xA0),
        0xE78D: (0xA6, 0xD9), 0xE78E: (0xA6, 0xDA), 0xE78F: (0xA6, 0xDB), 0xE790: (0xA6, 0xDC),
        0xE791: (0xA6, 0xDD), 0xE792: (0xA6, 0xDE), 0xE793: (0xA6, 0xDF), 0xE794: (0xA6, 0xEC),
        0xE795: (0xA6, 0xED), 0xE796: (0xA6, 0xF3),
    ]
}
