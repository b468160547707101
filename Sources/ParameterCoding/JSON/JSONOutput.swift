/// The text that a `JSONWriter` is writing.
struct JSONOutput {
    private(set) var octets: [UInt8] = []
    private let style: JSONWriter
    private var depth = 0

    init(style: JSONWriter) {
        self.style = style
    }

    // MARK: Values

    mutating func write(_ value: JSONValue) throws(JSONWritingError) {
        switch value {
        case .null: append("null")
        case .bool(let isTrue): append(isTrue ? "true" : "false")
        case .number(let digits): try writeNumber(digits)
        case .string(let text): writeString(text)
        case .array(let elements):
            try writeList(elements, 0x5B, 0x5D) { (element, output) throws(JSONWritingError) in
                try output.write(element)
            }
        case .object(let members):
            try writeMembers(members, name: \.name) { (member, output) throws(JSONWritingError) in
                try output.write(member.value)
            }
        }
    }

    mutating func write(_ parameter: Parameter) throws(JSONWritingError) {
        switch parameter {
        case .null: append("null")
        case .bool(let isTrue): append(isTrue ? "true" : "false")
        case .int(let number): append(String(number))
        case .uint(let number): append(String(number))
        case .double(let number): try writeDouble(number)
        case .decimal(let digits): try writeNumber(digits)
        case .string(let text): writeString(text)
        case .data(let data): try writeData(data)
        case .date(let date): try writeDate(date)
        case .array(let elements): try writeElements(elements)
        case .set(let elements): try writeSet(elements)
        case .object(let members):
            try writeMembers(members, name: \.name) { (member, output) throws(JSONWritingError) in
                try output.write(member.value)
            }
        case .raw(let raw): octets += raw
        }
    }

    private mutating func writeElements(_ elements: [Parameter]) throws(JSONWritingError) {
        try writeList(elements, 0x5B, 0x5D) { (element, output) throws(JSONWritingError) in
            try output.write(element)
        }
    }

    private mutating func writeSet(_ elements: [Parameter]) throws(JSONWritingError) {
        guard style.keyOrder == .sorted else { return try writeElements(elements) }
        // Each element is written once: written again in its place, sets within sets would cost
        // twice as much at every level.
        var texts: [[UInt8]] = []
        for element in elements {
            var output = JSONOutput(style: style)
            output.depth = depth + 1
            try output.write(element)
            texts.append(output.octets)
        }
        texts.sort { $0.lexicographicallyPrecedes($1) }
        try writeList(texts, 0x5B, 0x5D) { (text, output) in output.octets += text }
    }

    private mutating func writeMembers<Member>(
        _ members: [Member],
        name: (Member) -> String,
        _ writeValue: (Member, inout JSONOutput) throws(JSONWritingError) -> Void
    ) throws(JSONWritingError) {
        try writeList(ordered(members, name), 0x7B, 0x7D) {
            (member, output) throws(JSONWritingError) in
            output.writeString(name(member))
            output.append(output.style.indentationByteCount == nil ? ":" : ": ")
            try writeValue(member, &output)
        }
    }

    /// Members in the order they are written. The sort is stable, and by scalars: `<` of strings
    /// would take equivalent names for the same.
    private func ordered<Member>(_ members: [Member], _ name: (Member) -> String) -> [Member] {
        guard style.keyOrder == .sorted else { return members }
        let keyed = members.map { (key: name($0).utf8, member: $0) }
        return keyed.enumerated()
            .sorted {
                if $0.element.key.lexicographicallyPrecedes($1.element.key) { return true }
                if $1.element.key.lexicographicallyPrecedes($0.element.key) { return false }
                return $0.offset < $1.offset
            }
            .map(\.element.member)
    }

    private mutating func writeList<Element>(
        _ elements: [Element],
        _ open: UInt8,
        _ close: UInt8,
        _ writeElement: (Element, inout JSONOutput) throws(JSONWritingError) -> Void
    ) throws(JSONWritingError) {
        guard depth < style.depthMax else { throw .tooDeep }
        octets.append(open)
        depth += 1
        var isFirst = true
        for element in elements {
            if !isFirst { octets.append(0x2C) }
            isFirst = false
            writeLineEnd()
            try writeElement(element, &self)
        }
        depth -= 1
        if !elements.isEmpty { writeLineEnd() }
        octets.append(close)
    }

    private mutating func writeLineEnd() {
        guard let width = style.indentationByteCount else { return }
        octets.append(0x0A)
        let (count, overflow) = max(0, width).multipliedReportingOverflow(by: depth)
        octets.append(contentsOf: repeatElement(0x20, count: overflow ? 0 : count))
    }

    // MARK: Scalars

    private mutating func append(_ text: String) {
        octets.append(contentsOf: text.utf8)
    }

    private mutating func writeNumber(_ digits: String) throws(JSONWritingError) {
        guard JSONNumber.isValid(digits) else { throw .badNumber(digits) }
        append(digits)
    }

    /// The shortest digits that give the same double again.
    private mutating func writeDouble(_ number: Double) throws(JSONWritingError) {
        guard number.isFinite else { throw .notFinite }
        let text = number.description
        let isShortened = style.writesWholeDoublesAsIntegers && text.hasSuffix(".0")
        append(isShortened ? String(text.dropLast(2)) : text)
    }

    private mutating func writeDate(_ date: ParameterDate) throws(JSONWritingError) {
        switch style.dates {
        case .deferredToDate: try writeDouble(date.secondsSince2001)
        case .secondsSince1970: try writeDouble(date.secondsSince1970)
        case .millisecondsSince1970: try writeDouble(date.secondsSince1970 * 1_000)
        case .iso8601:
            guard let text = ISO8601Text.text(date) else { throw .dateOutOfRange(date) }
            writeString(text)
        }
    }

    private mutating func writeData(_ data: [UInt8]) throws(JSONWritingError) {
        switch style.data {
        case .base64:
            octets.append(0x22)
            append(Base64.text(data))
            octets.append(0x22)
        case .deferredToData:
            try writeList(data, 0x5B, 0x5D) { (octet, output) throws(JSONWritingError) in
                output.append(String(octet))
            }
        }
    }

    private mutating func writeString(_ text: String) {
        octets.append(0x22)
        JSONStringText.append(
            text,
            escapingSlashes: style.escapesSlashes,
            escapingLineSeparators: style.escapesLineSeparators,
            to: &octets
        )
        octets.append(0x22)
    }
}
