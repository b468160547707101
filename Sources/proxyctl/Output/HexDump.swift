/// Octets as lines of sixteen: offset, hexadecimal, ASCII.
enum HexDump {
    static func lines(_ octets: ArraySlice<UInt8>) -> [StyledText] {
        stride(from: octets.startIndex, to: octets.endIndex, by: 16).map { start in
            let row = octets[start..<min(start + 16, octets.endIndex)]
            let digits = row.map { hexadecimal(Int($0), 2) }.joined(separator: " ")
            let padding = String(repeating: " ", count: 48 - digits.count)
            let text = row.map { (0x20..<0x7F).contains($0) ? String(Unicode.Scalar($0)) : "." }
            return StyledText(hexadecimal(start - octets.startIndex, 8) + "  ", .dim)
                + StyledText(digits + padding + " ") + StyledText(text.joined(), .dim)
        }
    }

    private static func hexadecimal(_ value: Int, _ count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
