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

    /// The character of a pointer; nil if there is none.
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
        without: 0..<(0xA1 - 0x81) * 157,
        lastOf: [0x2550, 0x255E, 0x2561, 0x256A, 0x5341, 0x5345])
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
