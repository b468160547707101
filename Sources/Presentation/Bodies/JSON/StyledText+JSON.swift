extension StyledText {
    /// Appends a JSON scalar, coloured by its type.
    mutating func appendJSONScalar(_ octets: ArraySlice<UInt8>) {
        switch octets.first ?? 0 {
        case UInt8(ascii: "-"), 0x30...0x39: append(octets, .number)
        case UInt8(ascii: "t") where octets.elementsEqual("true".utf8),
            UInt8(ascii: "f") where octets.elementsEqual("false".utf8),
            UInt8(ascii: "n") where octets.elementsEqual("null".utf8):
            append(octets, .keyword)
        default: append(octets, .bad)
        }
    }
}
