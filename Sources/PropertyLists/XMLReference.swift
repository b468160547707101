internal import ProxydParameterCoding

/// What stands between `&` and `;` in XML.
enum XMLReference {
    /// The character of XML's own five entities and of numbers; nil for every other name, because
    /// property lists have none and an entity of one's own could grow without end.
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
        guard digits.utf8.allSatisfy({ Octet.hexValue($0) != nil }),
            let value = UInt32(digits, radix: isHex ? 16 : 10),
            let scalar = Unicode.Scalar(value), XMLText.canHold(scalar)
        else { return nil }
        return scalar
    }
}
