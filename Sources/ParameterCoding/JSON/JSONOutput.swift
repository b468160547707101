/// The output of a `JSONWriter`. Nesting uses no stack.
struct JSONOutput {
    private(set) var bytes: [UInt8] = []
    private let style: JSONWriter
    /// The open containers, the innermost one last.
    private var levels: [JSONLevel] = []

    init(style: JSONWriter) {
        self.style = style
    }

    // MARK: Values

    mutating func write(_ root: JSONLevel.Item) throws(JSONWritingError) {
        try begin(root)
        while let last = levels.indices.last {
            if levels[last].isSortedSet { takeElement(last) }
            if levels[last].isAtEnd {
                end()
            } else {
                try writeNext(last)
            }
        }
    }

    /// Writes a scalar, or the start of a container.
    private mutating func begin(_ item: JSONLevel.Item) throws(JSONWritingError) {
        switch item {
        case .value(.array(let elements)): try open(.values(elements))
        case .value(.object(let members)): try open(.valueMembers(ordered(members, \.name)))
        case .value(let scalar): try writeScalar(scalar)
        case .parameter(.array(let elements)): try open(.parameters(elements))
        case .parameter(.set(let elements)):
            try open(.parameters(elements), isSortedSet: style.keyOrder == .sorted)
        case .parameter(.object(let members)):
            try open(.parameterMembers(ordered(members, \.name)))
        case .parameter(.data(let data)) where style.data == .deferredToData:
            try open(.parameters(data.map { .uint(UInt64($0)) }))
        case .parameter(let scalar): try writeScalar(scalar)
        }
    }

    private mutating func open(
        _ children: JSONLevel.Children, isSortedSet: Bool = false
    ) throws(JSONWritingError) {
        guard levels.count < style.depthMax else { throw .tooDeep }
        bytes.append(children.isObject ? 0x7B : 0x5B)
        levels.append(JSONLevel(children, isSortedSet: isSortedSet))
    }

    private mutating func writeNext(_ last: Int) throws(JSONWritingError) {
        if levels[last].isSortedSet {
            levels[last].elementStart = bytes.count
        } else {
            writeSeparator(isFirst: levels[last].isAtStart)
        }
        let (name, item) = levels[last].takeNext()
        if let name {
            writeString(name)
            append(style.indentationByteCount == nil ? ":" : ": ")
        }
        try begin(item)
    }

    private mutating func writeSeparator(isFirst: Bool) {
        if !isFirst { bytes.append(0x2C) }
        writeLineEnd()
    }

    /// Moves the text of a set's element aside until its position is known. Each is written once:
    /// otherwise the cost of nested sets would double with each level.
    private mutating func takeElement(_ last: Int) {
        guard let start = levels[last].elementStart else { return }
        levels[last].texts.append(Array(bytes[start...]))
        levels[last].elementStart = nil
        bytes.removeLast(bytes.count - start)
    }

    private mutating func end() {
        guard let level = levels.last else { return }
        let texts = level.texts.sorted { $0.lexicographicallyPrecedes($1) }
        for (index, text) in texts.enumerated() {
            writeSeparator(isFirst: index == 0)
            bytes += text
        }
        levels.removeLast()
        if !level.isEmpty { writeLineEnd() }
        bytes.append(level.isObject ? 0x7D : 0x5D)
    }

    /// Members in output order. The sort is stable and compares scalars: `<` on strings would treat
    /// canonically equivalent names as equal.
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

    private mutating func writeLineEnd() {
        guard let width = style.indentationByteCount else { return }
        bytes.append(0x0A)
        let (count, overflow) = max(0, width).multipliedReportingOverflow(by: levels.count)
        bytes.append(contentsOf: repeatElement(0x20, count: overflow ? 0 : count))
    }

    // MARK: Scalars

    private mutating func writeScalar(_ value: JSONValue) throws(JSONWritingError) {
        switch value {
        case .bool(let isTrue): append(isTrue ? "true" : "false")
        case .number(let digits): try writeNumber(digits)
        case .string(let text): writeString(text)
        case .null, .array, .object: append("null")
        }
    }

    private mutating func writeScalar(_ parameter: Parameter) throws(JSONWritingError) {
        switch parameter {
        case .bool(let isTrue): append(isTrue ? "true" : "false")
        case .int(let number): append(String(number))
        case .uint(let number): append(String(number))
        case .double(let number): try writeDouble(number)
        case .decimal(let digits): try writeNumber(digits)
        case .string(let text): writeString(text)
        case .data(let data): writeData(data)
        case .date(let date): try writeDate(date)
        case .raw(let raw): bytes += raw
        case .null, .array, .set, .object: append("null")
        }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func writeNumber(_ digits: String) throws(JSONWritingError) {
        guard JSONNumber.isValid(digits) else { throw .badNumber(digits) }
        append(digits)
    }

    /// Writes the shortest digits that round-trip.
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
        case .millisecondsSince1970: try writeDouble(date.secondsSince1970 * 1e3)
        case .iso8601:
            guard let text = ISO8601Text.text(date) else { throw .dateOutOfRange(date) }
            writeString(text)
        }
    }

    private mutating func writeData(_ data: [UInt8]) {
        bytes.append(0x22)
        append(Base64.text(data))
        bytes.append(0x22)
    }

    private mutating func writeString(_ text: String) {
        bytes.append(0x22)
        JSONStringText.append(
            text,
            escapingSlashes: style.escapesSlashes,
            escapingLineSeparators: style.escapesLineSeparators,
            to: &bytes
        )
        bytes.append(0x22)
    }
}
