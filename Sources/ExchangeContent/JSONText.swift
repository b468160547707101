public import ProxydParameterCoding

/// Writes JSON values as text on one line, with members in their order.
///
/// In addition to what JSON requires, every control, format and bidi character is escaped, and all
/// combining marks after the fourth on one character, so that the line is safe both on a terminal
/// and in a pipe. A JSON parser gets the same text.
public enum JSONText {
    /// How many combining marks of a character are not escaped: more would overlap other lines.
    private static let markCountMax = 4

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
    private static func write(utf8 bytes: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
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

/// Builds JSON values from optional ones: nil becomes null, never a missing member.
extension JSONValue {
    public static func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

    public static func integer(_ value: (some BinaryInteger)?) -> JSONValue {
        value.map { .number(String($0)) } ?? .null
    }

    /// Nanoseconds as milliseconds, with microsecond precision.
    public static func milliseconds(_ nanoseconds: Int64?) -> JSONValue {
        guard let nanoseconds else { return .null }
        let micros = (nanoseconds.magnitude &+ 500) / 1_000
        let sign = nanoseconds < 0 && micros > 0 ? "-" : ""
        let fraction = String(micros % 1_000)
        let padded = String(repeating: "0", count: max(0, 3 - fraction.count)) + fraction
        return .number("\(sign)\(micros / 1_000).\(padded)")
    }

    public static func strings(_ values: [String]) -> JSONValue {
        .array(values.map(JSONValue.string))
    }

    public static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }

    /// `[[name, value], …]`.
    public static func pairs(_ pairs: [(String, String?)]) -> JSONValue {
        .array(pairs.map { .array([.string($0.0), .text($0.1)]) })
    }
}

/// Reads JSON values of unknown shape: anything that does not match is nil.
extension JSONValue {
    /// The first member with a name; nil if it is absent or null.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        guard let value = members.first(where: { $0.name == name })?.value, value != .null else {
            return nil
        }
        return value
    }

    package var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    package var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The elements of an array; empty for any other value.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The members of an object; empty for any other value.
    package var members: [Member] {
        if case .object(let members) = self { return members }
        return []
    }

    package var number: Double? {
        guard case .number(let digits) = self, let value = Double(digits), value.isFinite else {
            return nil
        }
        return value
    }

    /// An integer; `200.0` counts as one.
    package var integer: Int64? {
        guard case .number(let digits) = self else { return nil }
        return Int64(digits) ?? number.flatMap { Int64(exactly: $0) }
    }

    /// The bytes of a base64 string.
    package var bytes: [UInt8]? { text.flatMap(Base64.bytes) }

    /// Milliseconds converted to nanoseconds; nil if negative, which means unknown in HAR.
    package var nanoseconds: Int64? {
        guard let number, number >= 0, number < 1e12 else { return nil }
        return Int64((number * 1e6).rounded())
    }
}
