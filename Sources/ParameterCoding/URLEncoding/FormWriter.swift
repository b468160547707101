/// Writes parameters as pairs, octet by octet into one buffer.
struct FormWriter {
    /// How many warnings are kept: the first of them tell enough.
    private static let warningCountMax = 16

    private let encoding: URLEncoding
    private let texts: FormText
    private(set) var output: [UInt8] = []
    private(set) var warnings: [ParameterWarning] = []
    /// The key of the value being written, not yet escaped.
    private var path: [UInt8] = []
    private var depth = 0
    private var isFirstPair = true

    init(encoding: URLEncoding) {
        self.encoding = encoding
        texts = FormText(encoding: encoding)
    }

    /// Writes all pairs. Octets as root are taken for pairs that are encoded already.
    mutating func write(root: Parameter) throws {
        switch root {
        case .object(let members): try write(members)
        case .raw(let octets): output += octets
        default: throw ParameterEncodingError.rootIsNotObject
        }
    }

    // MARK: Containers

    private mutating func write(_ members: [Parameter.Member]) throws {
        if encoding.keyOrder == .asGiven {
            for member in members {
                try write(member.value, named: encoding.keys.name(member.name))
            }
            return
        }
        var members = members
        if !encoding.keys.changesNothing {
            for index in members.indices {
                members[index].name = encoding.keys.name(members[index].name)
            }
        }
        members.sortByName()
        for member in members { try write(member.value, named: member.name) }
    }

    private mutating func write(_ value: Parameter, named name: String) throws {
        let pathByteCount = path.count
        if depth == 0 {
            path += name.utf8
        } else {
            switch encoding.keyPaths {
            case .brackets:
                path.append(UInt8(ascii: "["))
                path += name.utf8
                path.append(UInt8(ascii: "]"))
            case .dots:
                path.append(UInt8(ascii: "."))
                path += name.utf8
            case .custom(let suffix):
                path += suffix(name).utf8
            }
        }
        try write(value)
        path.removeLast(path.count - pathByteCount)
    }

    private mutating func write(array elements: [Parameter]) throws {
        warn(about: elements)
        let pathByteCount = path.count
        switch encoding.arrays {
        case .json:
            try write(json: .array(elements))
        case .noBrackets:
            for element in elements { try write(element) }
        case .brackets:
            path += "[]".utf8
            for element in elements { try write(element) }
            path.removeLast(path.count - pathByteCount)
        case .indexInBrackets:
            for (index, element) in elements.enumerated() {
                path += "[\(index)]".utf8
                try write(element)
                path.removeLast(path.count - pathByteCount)
            }
        case .custom(let key):
            let outerPath = path
            for (index, element) in elements.enumerated() {
                path = Array(key(String(decoding: outerPath, as: UTF8.self), index).utf8)
                try write(element)
            }
            path = outerPath
        }
    }

    /// The elements of a set repeat its key without brackets, in order of their text. Each is
    /// written once and moved to its place: sets in sets would cost twice as much a level else.
    private mutating func write(set elements: [Parameter]) throws {
        if case .json = encoding.arrays { return try write(json: .set(elements)) }
        guard encoding.keyOrder == .sortedKeys, elements.count > 1 else {
            for element in elements { try write(element) }
            return
        }
        let start = output.count
        let wasFirstPair = isFirstPair
        var written: [SetElement] = []
        for element in elements {
            isFirstPair = true
            try write(element)
            guard !isFirstPair else { continue }
            let pairs = Array(output[start...])
            output.removeLast(pairs.count)
            written.append(SetElement(text: try scalarText(element), pairs: pairs))
        }
        isFirstPair = wasFirstPair
        for element in written.sorted(by: SetElement.precedes) {
            writeSeparator()
            output += element.pairs
        }
    }

    private mutating func write(json value: Parameter) throws {
        let text = try FormJSON(encoding: encoding, key: pathText).text(value)
        writeKey()
        writeValue(text.span)
    }

    // MARK: Values

    private mutating func write(_ value: Parameter) throws {
        switch value {
        case .null: writeNull()
        // The most frequent values by far: no rule concerns their text.
        case .string(let text): writePair(text)
        case .int(let number): writePair(number.description)
        case .array(let elements):
            if elements.isEmpty { return writeEmptyContainer() }
            try descend { writer throws in try writer.write(array: elements) }
        case .set(let elements):
            if elements.isEmpty { return writeEmptyContainer() }
            try descend { writer throws in try writer.write(set: elements) }
        case .object(let members):
            if members.isEmpty { return writeEmptyContainer() }
            try descend { writer throws in try writer.write(members) }
        case .raw(let octets):
            writeKey()
            output.append(UInt8(ascii: "="))
            output += octets
        case .data(let octets):
            guard case .deferredToData = encoding.data else { return try writeText(value) }
            try write(.array(octets.map { .uint(UInt64($0)) }))
        default:
            try writeText(value)
        }
    }

    private mutating func descend(_ body: (inout FormWriter) throws -> Void) throws {
        guard depth < URLEncoding.depthMax else {
            throw ParameterEncodingError.nestedTooDeeply(depthMax: URLEncoding.depthMax)
        }
        depth += 1
        try body(&self)
        depth -= 1
    }

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

    private mutating func writeText(_ value: Parameter) throws {
        let text = try texts.text(value, key: { pathText })
        writePair(text)
    }

    // MARK: Octets

    private mutating func writePair(_ text: String) {
        writeKey()
        let utf8 = text.utf8
        writeValue(utf8.span)
    }

    private mutating func writeKey() {
        writeSeparator()
        let key = path
        encoding.escapes.append(key.span, spaceIsPlus: encoding.spaces == .plus, to: &output)
    }

    private mutating func writeSeparator() {
        if !isFirstPair { output.append(UInt8(ascii: "&")) }
        isFirstPair = false
    }

    private mutating func writeValue(_ octets: Span<UInt8>) {
        output.append(UInt8(ascii: "="))
        encoding.escapes.append(octets, spaceIsPlus: encoding.spaces == .plus, to: &output)
    }

    private var pathText: String { String(decoding: path, as: UTF8.self) }

    // MARK: Sets and warnings

    /// The text of an element of a set before escapes; nil for a container.
    private func scalarText(_ element: Parameter) throws -> [UInt8]? {
        switch element {
        case .null: return []
        case .raw(let octets): return octets
        case .array, .set, .object: return nil
        default:
            let text = try texts.text(element, key: { pathText })
            return Array(text.utf8)
        }
    }

    private mutating func warn(about elements: [Parameter]) {
        switch encoding.arrays {
        case .brackets, .noBrackets: break
        case .indexInBrackets, .json, .custom: return
        }
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

/// An element of a set that was written and waits for its place.
private struct SetElement {
    /// Its text before escapes; nil for a container.
    let text: [UInt8]?
    let pairs: [UInt8]

    /// Scalars by their text, then containers by their pairs.
    static func precedes(_ left: SetElement, _ right: SetElement) -> Bool {
        switch (left.text, right.text) {
        case (let left?, let right?): left.lexicographicallyPrecedes(right)
        case (nil, nil): left.pairs.lexicographicallyPrecedes(right.pairs)
        case (let left, _): left != nil
        }
    }
}

extension [Parameter.Member] {
    /// Puts members in the order of their names' code points; equal names stay in their order.
    mutating func sortByName() {
        func precedes(_ left: Element, _ right: Element) -> Bool {
            left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
        let isSorted = zip(self, dropFirst()).allSatisfy { !precedes($1, $0) }
        if !isSorted { sort(by: precedes) }
    }
}
