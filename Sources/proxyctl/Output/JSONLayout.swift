internal import ProxydPresentation
internal import ProxydInterchange
internal import ProxydParameterCoding

/// JSON as an indented text for people.
enum JSONLayout {
    private static let indent = "  "

    /// The lines of a value, as if it stood alone.
    static func lines(_ value: JSONValue) -> [StyledText] {
        var lines = [StyledText()]
        write(value, depth: 0, &lines)
        return lines
    }

    private static func write(_ value: JSONValue, depth: Int, _ lines: inout [StyledText]) {
        switch value {
        case .object(let members) where !members.isEmpty:
            writeList(members, "{", "}", depth, &lines) { member, lines in
                append(scalar(.string(member.name)), .key, &lines)
                append(": ", .plain, &lines)
                write(member.value, depth: depth + 1, &lines)
            }
        case .array(let elements) where !elements.isEmpty:
            writeList(elements, "[", "]", depth, &lines) { element, lines in
                write(element, depth: depth + 1, &lines)
            }
        case .string: append(scalar(value), .string, &lines)
        case .number, .bool, .null: append(scalar(value), .number, &lines)
        case .object, .array: append(scalar(value), .plain, &lines)
        }
    }

    private static func writeList<Element>(
        _ elements: [Element], _ open: String, _ close: String, _ depth: Int,
        _ lines: inout [StyledText], _ body: (Element, inout [StyledText]) -> Void
    ) {
        append(open, .plain, &lines)
        for (index, element) in elements.enumerated() {
            lines.append(StyledText(String(repeating: indent, count: depth + 1)))
            body(element, &lines)
            if index < elements.count - 1 { append(",", .plain, &lines) }
        }
        lines.append(StyledText(String(repeating: indent, count: depth) + close))
    }

    private static func append(_ text: String, _ style: Style, _ lines: inout [StyledText]) {
        lines[lines.count - 1].append(text, style)
    }

    private static func scalar(_ value: JSONValue) -> String {
        var octets: [UInt8] = []
        JSONText.write(value, into: &octets)
        return String(decoding: octets, as: UTF8.self)
    }
}
