/// Writes XML property lists as Apple lays them out: one element a line, tabs for each level.
struct XMLPropertyListWriter {
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
        "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    private var octets: [UInt8] = []
    private var depth = 0

    mutating func document(_ root: Parameter) throws(PropertyListWritingError) -> [UInt8] {
        octets = Array(XMLPropertyListWriter.head.utf8)
        try write(root)
        octets += "</plist>\n".utf8
        return octets
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
            guard JSONNumber.isValid(digits) else { throw .badNumber(digits) }
            let isWhole = digits.utf8.allSatisfy { Octet.isDigit($0) || $0 == 0x2D }
            try element(isWhole ? "integer" : "real", digits)
        case .string(let text): try element("string", text)
        case .data(let data): try element("data", Base64.text(data))
        case .date(let date):
            guard date.secondsSince2001.isFinite else { throw .notFinite }
            guard let text = ISO8601Text.text(date) else { throw .dateOutOfRange(date) }
            try element("date", text)
        case .array(let elements), .set(let elements):
            try list("array", isEmpty: elements.isEmpty) {
                writer throws(PropertyListWritingError) in
                for element in elements { try writer.write(element) }
            }
        case .object(let members):
            try list("dict", isEmpty: members.isEmpty) { writer throws(PropertyListWritingError) in
                for member in members {
                    try writer.element("key", member.name)
                    try writer.write(member.value)
                }
            }
        }
    }

    private mutating func list(
        _ name: String,
        isEmpty: Bool,
        _ writeInside: (inout XMLPropertyListWriter) throws(PropertyListWritingError) -> Void
    ) throws(PropertyListWritingError) {
        guard depth < PropertyListWriter.depthMax else { throw .tooDeep }
        guard !isEmpty else { return line("<\(name)/>") }
        line("<\(name)>")
        depth += 1
        try writeInside(&self)
        depth -= 1
        line("</\(name)>")
    }

    private mutating func line(_ text: String) {
        indent()
        octets += text.utf8
        octets.append(0x0A)
    }

    private mutating func element(
        _ name: String, _ text: String
    ) throws(PropertyListWritingError) {
        indent()
        octets += "<\(name)>".utf8
        guard XMLText.append(text, to: &octets) else { throw .textHasNoForm }
        octets += "</\(name)>\n".utf8
    }

    private mutating func indent() {
        octets.append(contentsOf: repeatElement(0x09, count: depth))
    }
}
