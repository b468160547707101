public import ProxydParameterCoding

/// Writes JSON values as text on one line, with members in their order.
///
/// In addition to what JSON requires, every control, format and bidi character is escaped, and all
/// combining marks after the fourth on one character, so that the line is safe both on a terminal
/// and in a pipe. A JSON parser gets the same text.
public enum JSONText {
    /// The number of combining marks per character that are not escaped: more would overlap other
    /// lines.
    private static let markCountMax = 4

    /// Appends the text of a value.
    public static func write(_ value: JSONValue, into output: inout [UInt8]) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let isTrue): output += (isTrue ? "true" : "false").utf8
        case .number(let digits): output += digits.utf8
        case .string(let text): write(text, into: &output)
        case .array(let elements):
            writeList(elements, "[", "]", into: &output) { write($0, into: &$1) }
        case .object(let members):
            writeList(members, "{", "}", into: &output) {
                write($0.name, into: &$1)
                $1.append(UInt8(ascii: ":"))
                write($0.value, into: &$1)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element], _ open: Unicode.Scalar, _ close: Unicode.Scalar,
        into output: inout [UInt8], _ writeElement: (Element, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: open))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            writeElement(element, &output)
        }
        output.append(UInt8(ascii: close))
    }

    private static func write(_ text: String, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { write(utf8: $0, into: &output) }
        output.append(UInt8(ascii: "\""))
    }

    /// Most text is plain and is copied unchanged.
    private static func write(
        utf8 bytes: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]
    ) {
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, isPlain(bytes[end]) { end &+= 1 }
            output.append(contentsOf: bytes[start..<end])
            start = end
            while end < bytes.count, !isPlain(bytes[end]) { end &+= 1 }
            var markCount = 0
            for scalar in String(decoding: bytes[start..<end], as: UTF8.self).unicodeScalars {
                markCount = isMark(scalar) ? markCount + 1 : 0
                if markCount > markCountMax {
                    writeEscaped(scalar, into: &output)
                } else {
                    write(scalar, into: &output)
                }
            }
            start = end
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte &- 0x20 < 0x5F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func write(_ scalar: Unicode.Scalar, into output: inout [UInt8]) {
        switch scalar {
        case "\"": output += "\\\"".utf8
        case "\\": output += "\\\\".utf8
        case "\n": output += "\\n".utf8
        case "\r": output += "\\r".utf8
        case "\t": output += "\\t".utf8
        case _ where mustEscape(scalar): writeEscaped(scalar, into: &output)
        default: output += String(scalar).utf8
        }
    }

    private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
            .surrogate:
            true
        // Variation selectors and similar characters are invisible.
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        return category == .nonspacingMark || category == .enclosingMark
    }

    private static func writeEscaped(_ scalar: Unicode.Scalar, into output: inout [UInt8]) {
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            output += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
        }
    }
}
