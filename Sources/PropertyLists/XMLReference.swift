internal import ProxydParameterCoding

/// The text between `&` and `;` in XML.
enum XMLReference {
    /// The character of one of XML's five predefined entities or of a numeric reference; nil for
    /// any other name, because property lists define none and custom entities could expand without
    /// limit.
    static func scalar(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default: number(name)
        }
    }

    private static func number(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return nil }
        let isHex = name.hasPrefix("#x")
        let digits = name.dropFirst(isHex ? 2 : 1)
        guard digits.utf8.allSatisfy({ Byte.hexValue($0) != nil }),
            let value = UInt32(digits, radix: isHex ? 16 : 10),
            let scalar = Unicode.Scalar(value), XMLText.canHold(scalar)
        else { return nil }
        return scalar
    }
}
