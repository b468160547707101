struct FormWriter {
    private static let warningCountMax = 16

    private let encoding: URLEncoding
    private let texts: FormText
    /// The escape set of the encoding, extended by everything that would end a value or become a
    /// space. A `%` may be kept: that is how escaped values are passed through.
    private let valueEscapes: EscapeSet
    /// The escape set for keys, which end at `=` as well.
    private let keyEscapes: EscapeSet
    private(set) var output: [UInt8] = []
    private(set) var warnings: [ParameterWarning] = []
    /// The key of the current value, before escaping.
    private var path: [UInt8] = []
    private var depth = 0
    private var isFirstPair = true

    init(encoding: URLEncoding) {
        self.encoding = encoding
        texts = FormText(encoding: encoding)
        valueEscapes = encoding.escapes.escaping("&+#")
        keyEscapes = valueEscapes.escaping("=")
    }

    /// Writes all pairs. Bytes as the root are treated as encoded pairs.
    mutating func write(root: Parameter) throws {
        switch root {
        case .object(let members): try write(members)
        case .raw(let bytes): output += bytes
        default: throw ParameterEncodingError.rootIsNotObject
        }
    }

    // MARK: Containers

    private mutating func write(_ members: [Parameter.Member]) throws {
        for member in renamed(members) { try write(member.value, named: member.name) }
    }

    /// The members with their encoded names, in output order.
    @inline(never)
    private func renamed(_ members: [Parameter.Member]) -> [Parameter.Member] {
        var members = members
        if !encoding.keys.changesNothing {
            for index in members.indices {
                members[index].name = encoding.keys.name(members[index].name)
            }
        }
        if encoding.keyOrder == .sortedKeys { members.sortByName() }
        return members
    }

    private mutating func write(_ value: Parameter, named name: String) throws {
        let pathByteCount = path.count
        appendName(name)
        try write(value)
        path.removeLast(path.count - pathByteCount)
    }

    @inline(never)
    private mutating func appendName(_ name: String) {
        guard depth > 0 else {
            path += name.utf8
            return
        }
        switch encoding.keyPaths {
        case .brackets:
            path.append(UInt8(ascii: "["))
            path += name.utf8
            path.append(UInt8(ascii: "]"))
        case .dots:
            path.append(UInt8(ascii: "."))
            path += name.utf8
        case .custom(let suffix): path += suffix(name).utf8
        }
    }

    private mutating func write(array elements: [Parameter]) throws {
        let pathByteCount = path.count
        switch encoding.arrays {
        case .json: try write(json: .array(elements))
        case .noBrackets:
            warn(about: elements)
            for element in elements { try write(element) }
        case .brackets:
            warn(about: elements)
            path += "[]".utf8
            for element in elements { try write(element) }
            path.removeLast(path.count - pathByteCount)
        case .indexInBrackets:
            var index = 0
            for element in elements {
                appendIndex(index)
                index += try isWritten(element) ? 1 : 0
                path.removeLast(path.count - pathByteCount)
            }
        case .custom(let key):
            let outerPath = path
            var index = 0
            for element in elements {
                path = customKey(key, outerPath, index)
                index += try isWritten(element) ? 1 : 0
            }
            path = outerPath
        }
    }

    /// Writes an element; returns false if nothing was written. Such elements have no index, so
    /// that the indices of the others have no gaps.
    private mutating func isWritten(_ element: Parameter) throws -> Bool {
        let start = output.count
        try write(element)
        return output.count > start
    }

    // Code that needs stack for its texts is in separate functions, not inlined into the functions
    // that recurse for each level of nesting.

    @inline(never)
    private mutating func appendIndex(_ index: Int) { path += "[\(index)]".utf8 }

    @inline(never)
    private func customKey(
        _ key: @Sendable (String, Int) -> String, _ outerPath: [UInt8], _ index: Int
    ) -> [UInt8] {
        Array(key(String(decoding: outerPath, as: UTF8.self), index).utf8)
    }

    /// The elements of a set repeat its key without brackets, sorted by their text. Each is written
    /// once and moved to its place: otherwise the cost of nested sets would double with each level.
    private mutating func write(set elements: [Parameter]) throws {
        if case .json = encoding.arrays { return try write(json: .set(elements)) }
        // A set's key has no brackets or indices, even if arrays have them.
        warn(about: elements)
        guard encoding.keyOrder == .sortedKeys, elements.count > 1 else {
            for element in elements { try write(element) }
            return
        }
        let wasFirstPair = isFirstPair
        var written: [FormSetElement] = []
        for element in elements {
            isFirstPair = true
            let start = output.count
            let text = try writeSetElement(element)
            guard !isFirstPair else { continue }
            takeBack(from: start, text, to: &written)
        }
        isFirstPair = wasFirstPair
        append(&written)
    }

    /// Writes an element and returns its text before escaping; nil for a container. The text is
    /// computed once: custom rules may have side effects.
    private mutating func writeSetElement(_ element: Parameter) throws -> [UInt8]? {
        if isContainer(element) {
            try write(element)
            return nil
        }
        return try writeScalar(element)
    }

    private func isContainer(_ element: Parameter) -> Bool {
        switch element {
        case .array, .set, .object: return true
        case .data:
            if case .deferredToData = encoding.data { return true }
            return false
        default: return false
        }
    }

    @inline(never)
    private mutating func writeScalar(_ element: Parameter) throws -> [UInt8] {
        switch element {
        case .null:
            writeNull()
            return []
        case .raw(let bytes):
            writeKey()
            output.append(UInt8(ascii: "="))
            output += bytes
            return bytes
        default:
            let text = try texts.text(element, key: { pathText })
            writePair(text)
            return Array(text.utf8)
        }
    }

    @inline(never)
    private mutating func takeBack(
        from start: Int, _ text: [UInt8]?, to written: inout [FormSetElement]
    ) {
        let pairs = Array(output[start...])
        output.removeLast(pairs.count)
        written.append(FormSetElement(text: text, pairs: pairs))
    }

    @inline(never)
    private mutating func append(_ written: inout [FormSetElement]) {
        written.sort(by: FormSetElement.precedes)
        for element in written {
            writeSeparator()
            output += element.pairs
        }
    }

    @inline(never)
    private mutating func write(json value: Parameter) throws {
        let text = try FormJSON(encoding: encoding, key: pathText).text(value)
        writeKey()
        writeValue(text.span)
    }

    // MARK: Values

    private mutating func write(_ value: Parameter) throws {
        switch value {
        // By far the most frequent values; their text does not depend on any rule.
        case .string(let text): writePair(text)
        case .int(let number): writePair(number.description)
        case .array(let elements): try write(elements, areSet: false)
        case .set(let elements): try write(elements, areSet: true)
        case .object(let members):
            if members.isEmpty { return writeEmptyContainer() }
            try descend()
            try write(members)
            depth -= 1
        case .data(let bytes):
            guard case .deferredToData = encoding.data else { return try writeOther(value) }
            try write(numbers(bytes), areSet: false)
        default: try writeOther(value)
        }
    }

    private mutating func write(_ elements: [Parameter], areSet: Bool) throws {
        if elements.isEmpty { return writeEmptyContainer() }
        try descend()
        if areSet { try write(set: elements) } else { try write(array: elements) }
        depth -= 1
    }

    private mutating func descend() throws {
        guard depth < URLEncoding.depthMax else {
            throw ParameterEncodingError.nestedTooDeeply(depthMax: URLEncoding.depthMax)
        }
        depth += 1
    }

    @inline(never)
    private mutating func writeOther(_ value: Parameter) throws { _ = try writeScalar(value) }

    @inline(never)
    private func numbers(_ bytes: [UInt8]) -> [Parameter] { bytes.map { .uint(UInt64($0)) } }

    private mutating func writeNull() {
        switch encoding.nulls {
        case .dropKey: return
        case .dropValue: writePair("")
        case .keyOnly: writeKey()
        case .null: writePair("null")
        case .custom(let text):
            if let text = text() { writePair(text) }
        }
    }

    private mutating func writeEmptyContainer() {
        if encoding.emptyContainers == .keepKey { writePair("") }
    }

    // MARK: Bytes

    private mutating func writePair(_ text: String) {
        writeKey()
        if encoding.lineEnds == .crlf {
            writeValue(FormLineEnds.normalized(Array(text.utf8)).span)
        } else {
            let utf8 = text.utf8
            writeValue(utf8.span)
        }
    }

    private mutating func writeKey() {
        writeSeparator()
        let key = encoding.lineEnds == .crlf ? FormLineEnds.normalized(path) : path
        keyEscapes.append(key.span, spaceIsPlus: encoding.spaces == .plus, to: &output)
    }

    private mutating func writeSeparator() {
        if !isFirstPair { output.append(UInt8(ascii: "&")) }
        isFirstPair = false
    }

    private mutating func writeValue(_ bytes: Span<UInt8>) {
        output.append(UInt8(ascii: "="))
        valueEscapes.append(bytes, spaceIsPlus: encoding.spaces == .plus, to: &output)
    }

    private var pathText: String { String(decoding: path, as: UTF8.self) }

    @inline(never)
    private mutating func warn(about elements: [Parameter]) {
        for element in elements {
            switch element {
            case .object: return warn(.arrayOfObjects(key: pathText))
            case .array, .set: return warn(.arrayOfArrays(key: pathText))
            default: continue
            }
        }
    }

    private mutating func warn(_ warning: ParameterWarning) {
        guard warnings.count < FormWriter.warningCountMax, !warnings.contains(warning) else {
            return
        }
        warnings.append(warning)
    }
}

extension [Parameter.Member] {
    /// Sorts members by the code points of their names; equal names keep their order.
    mutating func sortByName() {
        func precedes(_ left: Element, _ right: Element) -> Bool {
            left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
        let isSorted = zip(self, dropFirst()).allSatisfy { !precedes($1, $0) }
        if !isSorted { sort(by: precedes) }
    }
}

/// An element of a set that has been written and awaits sorting.
struct FormSetElement {
    /// Its text before escapes; nil for a container.
    let text: [UInt8]?
    let pairs: [UInt8]

    /// Scalars by their text, then containers by their pairs.
    static func precedes(_ left: FormSetElement, _ right: FormSetElement) -> Bool {
        switch (left.text, right.text) {
        case (let left?, let right?): left.lexicographicallyPrecedes(right)
        case (nil, nil): left.pairs.lexicographicallyPrecedes(right.pairs)
        case (let left, _): left != nil
        }
    }
}

/// Converts line ends to those that a browser's form sends.
enum FormLineEnds {
    /// The bytes with lone LF and CR as CRLF (WHATWG HTML, "constructing the entry list").
    static func normalized(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return bytes }
        var normalized: [UInt8] = []
        normalized.reserveCapacity(bytes.count + 16)
        var previous: UInt8 = 0
        for byte in bytes {
            switch byte {
            case 0x0D: normalized += [0x0D, 0x0A]
            case 0x0A where previous == 0x0D: break
            case 0x0A: normalized += [0x0D, 0x0A]
            default: normalized.append(byte)
            }
            previous = byte
        }
        return normalized
    }
}
