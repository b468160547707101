/// Formats JSON without changing tokens: only white space between them changes. Text that is not
/// valid JSON stays readable and loses only such white space.
public enum JSONTextLayout {
    /// Deeper levels are not indented further.
    private static let indentedLevelMax = 64

    /// One member or element per line, with two spaces per level.
    public static func indented(_ bytes: [UInt8]) -> [UInt8] {
        let tokens = compact(bytes)
        var output: [UInt8] = []
        output.reserveCapacity(tokens.count * 2)
        var level = 0
        var isInString = false
        var place = 0
        while place < tokens.count {
            let byte = tokens[place]
            place += 1
            output.append(byte)
            if isInString {
                if byte == UInt8(ascii: "\\"), place < tokens.count {
                    output.append(tokens[place])
                    place += 1
                }
                isInString = byte != UInt8(ascii: "\"")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let next = place < tokens.count ? tokens[place] : 0
                if next == UInt8(ascii: "}") || next == UInt8(ascii: "]") {
                    output.append(next)
                    place += 1
                } else {
                    level += 1
                    breakLine(level, &output)
                }
            case UInt8(ascii: ","): breakLine(level, &output)
            case UInt8(ascii: ":"): output.append(0x20)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                output.removeLast()
                level = max(0, level - 1)
                breakLine(level, &output)
                output.append(byte)
            default: break
            }
        }
        return output
    }

    /// Everything on one line, without white space between tokens.
    public static func compact(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
            if isInString || !isSpace { output.append(byte) }
            if isEscaped {
                isEscaped = false
            } else if isInString, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            }
        }
        return output
    }

    private static func breakLine(_ level: Int, _ output: inout [UInt8]) {
        output.append(0x0A)
        output += [UInt8](repeating: 0x20, count: min(level, indentedLevelMax) * 2)
    }
}
