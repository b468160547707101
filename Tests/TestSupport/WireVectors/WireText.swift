/// Wire bytes as test files write them.
public enum WireText {
    /// Bytes of a text in which a line end is CRLF, a `\` at a line's end for no line end,
    /// and `\r \n \t \f \\ \0 \xHH` for what they always mean.
    public static func bytes(_ text: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\n") {
                bytes += [0x0D, 0x0A]
            } else if byte == UInt8(ascii: "\\") {
                bytes += escape(&rest)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func escape(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        switch rest.popFirst() {
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "0"): return [0x00]
        case UInt8(ascii: "x"):
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            rest = rest.dropFirst(2)
            return [UInt8(digits, radix: 16) ?? 0]
        case UInt8(ascii: "\n"): return []
        case let other?: return [other]
        case nil: return []
        }
    }

    /// Bytes as one line of text, the other way round.
    public static func escaped(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case 0x0D: text += "\\r"
            case 0x0A: text += "\\n"
            case 0x09: text += "\\t"
            case UInt8(ascii: "\\"): text += "\\\\"
            case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                text += "\\x" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return text
    }
}
