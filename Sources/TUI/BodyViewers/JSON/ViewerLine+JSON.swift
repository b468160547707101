extension ViewerLine {
    /// Columns of one level of an indented text, and the levels that are shown as columns.
    static let indentColumnCount = 2
    static let indentLevelCountMax = 40

    /// Indents by levels; very deep ones stay on the screen.
    mutating func appendLevel(_ depth: Int) {
        let levels = min(depth, ViewerLine.indentLevelCountMax)
        appendIndent(levels * ViewerLine.indentColumnCount)
    }

    /// Adds a scalar of a JSON text, coloured by what it is.
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
