/// Decodes single bytes to keys.
enum PlainKey {
    /// The key of an ASCII byte, or nil for ESC and non-ASCII bytes.
    static func key(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x00: Key(" ", .control)
        case 0x08, 0x7F: Key(.backspace)
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x01...0x1A: .control(character(byte + 0x60))
        case 0x1C...0x1F: .control(character(byte + 0x40))
        case 0x20...0x7E: Key(character(byte))
        default: nil
        }
    }

    private static func character(_ byte: UInt8) -> Character {
        Character(Unicode.Scalar(byte))
    }
}
