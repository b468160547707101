/// Formats bytes as lines of sixteen: offset, hexadecimal, ASCII.
package enum HexLines {
    /// The number of bytes in a full line.
    static let rowByteCount = 16

    /// Formats bytes as lines; offsets count from the first byte.
    package static func lines(_ bytes: ArraySlice<UInt8>) -> [StyledText] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: rowByteCount).map { start in
            let row = bytes[start..<min(start + rowByteCount, bytes.endIndex)]
            return line(row, at: start - bytes.startIndex)
        }
    }

    /// Formats one line; `offset` is the offset of its first byte.
    static func line(_ row: ArraySlice<UInt8>, at offset: Int) -> StyledText {
        var line = StyledText(digits(offset, 8) + "  ", .dim)
        var hexadecimal = ""
        for (index, byte) in row.enumerated() {
            hexadecimal += digits(Int(byte), 2) + (index == 7 ? "  " : " ")
        }
        let width = rowByteCount * 3 + 2
        hexadecimal += String(repeating: " ", count: max(0, width - hexadecimal.utf8.count))
        line.append(hexadecimal)
        let text = row.map { (0x20..<0x7F).contains($0) ? String(Unicode.Scalar($0)) : "." }
        line.append(text.joined(), .string)
        return line
    }

    /// Formats bytes as hexadecimal digits without separators.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { digits(Int($0), 2) }.joined(separator: " ")
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
