/// Windows-1252 as defined by WHATWG's Encoding standard: every byte is a character.
enum Windows1252 {
    /// The characters of 0x80 to 0x9F; the others are those of Latin-1.
    private static let upperControls: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}",
        "\u{2021}", "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}",
        "\u{17D}", "\u{8F}", "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}",
        "\u{2022}", "\u{2013}", "\u{2014}", "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}",
        "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]

    static func text(_ bytes: Span<UInt8>) -> String {
        var scalars = String.UnicodeScalarView()
        for index in bytes.indices {
            let byte = bytes[index]
            let isUpperControl = 0x80...0x9F ~= byte
            scalars.append(
                isUpperControl ? upperControls[Int(byte &- 0x80)] : Unicode.Scalar(byte)
            )
        }
        return String(scalars)
    }

    /// The bytes of a text, or nil if it has other characters.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let place = upperControls.firstIndex(of: scalar) {
                bytes.append(0x80 + UInt8(place))
            } else if let byte = UInt8(exactly: scalar.value), !(0x80...0x9F).contains(byte) {
                bytes.append(byte)
            } else {
                return nil
            }
        }
        return bytes
    }
}
