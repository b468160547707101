internal import ProxydParameterCoding

/// Writes XML property lists in Apple's layout: one element per line, indented by one tab per
/// level. Nesting uses no stack.
struct XMLPropertyListWriter {
    private enum Work {
        case value(Parameter)
        case member(Parameter.Member)
        case end(String)
    }

    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    private var bytes: [UInt8] = []
    /// The pending work, with the next item last.
    private var work: [Work] = []
    private var depth = 0

    mutating func document(_ root: Parameter) throws(PropertyListWritingError) -> [UInt8] {
        bytes = Array(XMLPropertyListWriter.head.utf8)
        work = [.value(root)]
        while let next = work.popLast() {
            switch next {
            case .value(let value): try write(value)
            case .member(let member):
                try element("key", member.name)
                try write(member.value)
            case .end(let name):
                depth -= 1
                line("</\(name)>")
            }
        }
        bytes += "</plist>\n".utf8
        return bytes
    }

    private mutating func write(_ parameter: Parameter) throws(PropertyListWritingError) {
        switch parameter {
        case .null: throw .nullHasNoForm
        case .raw: throw .rawHasNoForm
        case .bool(let isTrue): line(isTrue ? "<true/>" : "<false/>")
        case .int(let number): try element("integer", String(number))
        case .uint(let number): try element("integer", String(number))
        case .double(let number):
            guard number.isFinite else { throw .notFinite }
            try element("real", number.description)
        case .decimal(let digits):
            // A number that is not a 64-bit integer is a double: readers support no other types.
            let isWhole = Int64(digits) != nil || UInt64(digits) != nil
            _ = try BinaryScalar.bytes(parameter)
            try element(isWhole ? "integer" : "real", digits)
        case .string(let text): try element("string", text)
        case .data(let data): try element("data", Base64.text(data))
        case .date(let date):
            guard date.secondsSince2001.isFinite else { throw .notFinite }
            guard let text = ISO8601Text.text(date) else { throw .dateOutOfRange(date) }
            try element("date", text)
        case .array(let elements), .set(let elements):
            try begin("array", elements.reversed().map { .value($0) })
        case .object(let members): try begin("dict", members.reversed().map { .member($0) })
        }
    }

    private mutating func begin(
        _ name: String, _ children: [Work]
    ) throws(PropertyListWritingError) {
        guard depth < PropertyListWriter.depthMax else { throw .tooDeep }
        guard !children.isEmpty else { return line("<\(name)/>") }
        line("<\(name)>")
        depth += 1
        work.append(.end(name))
        work += children
    }

    private mutating func line(_ text: String) {
        indent()
        bytes += text.utf8
        bytes.append(0x0A)
    }

    private mutating func element(_ name: String, _ text: String) throws(PropertyListWritingError) {
        indent()
        bytes += "<\(name)>".utf8
        guard XMLText.append(text, to: &bytes) else { throw .textHasNoForm }
        bytes += "</\(name)>\n".utf8
    }

    private mutating func indent() { bytes.append(contentsOf: repeatElement(0x09, count: depth)) }
}

/// Text inside XML elements.
enum XMLText {
    /// Whether XML 1.0 allows a character at all, even as a numeric reference (§2.2).
    static func canContain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0x00..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    /// Appends an escaped text; returns false if XML cannot represent it.
    static func append(_ text: String, to bytes: inout [UInt8]) -> Bool {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes += "&amp;".utf8
            case "<": bytes += "&lt;".utf8
            case ">": bytes += "&gt;".utf8
            // Unescaped, a reader would convert it to LF.
            case "\r": bytes += "&#13;".utf8
            default:
                guard canContain(scalar) else { return false }
                bytes += String(scalar).utf8
            }
        }
        return true
    }
}
