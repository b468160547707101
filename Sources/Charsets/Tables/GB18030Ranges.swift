/// The characters of GB 18030 that take four bytes: ranges of the characters that no shorter
/// sequence encodes.
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
