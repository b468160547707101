extension StyledText {
    /// Appends a JSON scalar, coloured by its type.
    mutating func appendJSONScalar(_ bytes: ArraySlice<UInt8>) {
        switch bytes.first ?? 0 {
        case UInt8(ascii: "-"), 0x30...0x39: append(bytes, .number)
        case UInt8(ascii: "t") where bytes.elementsEqual("true".utf8),
            UInt8(ascii: "f") where bytes.elementsEqual("false".utf8),
            UInt8(ascii: "n") where bytes.elementsEqual("null".utf8):
            append(bytes, .keyword)
        default: append(bytes, .bad)
        }
    }
}
