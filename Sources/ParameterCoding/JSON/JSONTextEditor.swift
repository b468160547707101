/// Changes single values of a JSON text; every other byte is preserved, including white space.
public struct JSONTextEditor: Sendable {
    /// The text, with the changes made so far.
    public private(set) var bytes: [UInt8]
    private let limits: JSONLimits
    /// The maximum path length; readable texts are not nested more deeply.
    private static let stepCountMax = 1_024
    /// Writes the inserted values. Compact by default.
    public var writer: JSONWriter

    /// - Throws: `notJSON` if it is not valid JSON.
    public init(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), writer: JSONWriter = JSONWriter()
    ) throws(JSONPathError) {
        self.bytes = bytes
        self.limits = limits
        self.writer = writer
        try check(bytes)
    }

    /// Sets the value at a path. Missing members and elements are appended to their containers.
    /// - Throws: for an invalid path or a value that cannot be written; nothing is changed then.
    public mutating func set(_ value: Parameter, at path: JSONValuePath) throws(JSONPathError) {
        guard path.steps.count <= JSONTextEditor.stepCountMax else { throw .badPath }
        var text: [UInt8]
        do throws(JSONWritingError) {
            text = try writer.write(value)
        } catch {
            throw .cannotBeWritten(error)
        }
        let cursor = JSONTextCursor(bytes)
        var place = cursor.root()
        for (index, step) in path.steps.enumerated() {
            let children = try children(cursor, of: place, step, index)
            if let found = match(step, children, cursor).last {
                place = children[found].value
                continue
            }
            if case .element(let position) = step, position != children.count {
                throw .noSuchElement(stepIndex: index)
            }
            text = try wrapped(text, path.steps[(index + 1)...])
            try insert(text, step, behind: children.last?.value.upperBound, place)
            return
        }
        try replace(place, with: text)
    }

    /// Removes the value at a path; if several members share the name, all of them. Returns false
    /// if there is none.
    /// - Throws: if the path does not fit the containers of the text.
    @discardableResult
    public mutating func remove(at path: JSONValuePath) throws(JSONPathError) -> Bool {
        guard let lastStep = path.steps.last else { throw .rootCannotBeRemoved }
        guard path.steps.count <= JSONTextEditor.stepCountMax else { throw .badPath }
        let cursor = JSONTextCursor(bytes)
        var place = cursor.root()
        for (index, step) in path.steps.dropLast().enumerated() {
            let children = try children(cursor, of: place, step, index)
            guard let found = match(step, children, cursor).last else { return false }
            place = children[found].value
        }
        let children = try children(cursor, of: place, lastStep, path.steps.count - 1)
        let found = match(lastStep, children, cursor)
        bytes = JSONTextEditor.cut(found, from: children, bytes)
        return !found.isEmpty
    }

    // MARK: Pieces

    private func check(_ bytes: [UInt8]) throws(JSONPathError) {
        do throws(JSONSyntaxError) {
            _ = try JSONParser.parse(bytes.span, limits: limits, into: JSONNothing())
        } catch {
            throw .notJSON(error)
        }
    }

    private func children(
        _ cursor: JSONTextCursor, of place: Range<Int>, _ step: JSONValuePath.Step, _ index: Int
    ) throws(JSONPathError) -> [JSONTextCursor.Child] {
        let isFitting =
            switch step {
            case .member: cursor.isObject(at: place.lowerBound)
            case .element: cursor.isArray(at: place.lowerBound)
            }
        guard isFitting else { throw .wrongContainer(stepIndex: index) }
        return cursor.children(of: place.lowerBound)
    }

    private func match(
        _ step: JSONValuePath.Step, _ children: [JSONTextCursor.Child], _ cursor: JSONTextCursor
    ) -> [Int] {
        switch step {
        case .element(let position): return children.indices.contains(position) ? [position] : []
        case .member(let name):
            return children.indices.filter { index in
                // Compares bytes: Swift treats canonically equivalent names as equal.
                children[index].name.map { cursor.text($0).utf8.elementsEqual(name.utf8) } ?? false
            }
        }
    }

    /// Wraps the text in the containers that have to be created around it.
    private func wrapped(
        _ text: [UInt8], _ steps: ArraySlice<JSONValuePath.Step>
    ) throws(JSONPathError) -> [UInt8] {
        var start: [UInt8] = []
        var end: [UInt8] = []
        for (index, step) in zip(steps.indices, steps) {
            switch step {
            case .member(let name):
                start += [0x7B] + member(name)
                end.append(0x7D)
            case .element(0):
                start.append(0x5B)
                end.append(0x5D)
            case .element: throw .noSuchElement(stepIndex: index)
            }
        }
        return start + text + end.reversed()
    }

    private func member(_ name: String) -> [UInt8] {
        // Writing a name never fails.
        ((try? writer.write(JSONValue.string(name))) ?? []) + [0x3A]
    }

    private mutating func insert(
        _ text: [UInt8], _ step: JSONValuePath.Step, behind last: Int?, _ container: Range<Int>
    ) throws(JSONPathError) {
        var new = text
        if case .member(let name) = step { new = member(name) + text }
        if last != nil { new.insert(0x2C, at: 0) }
        let place = last ?? container.lowerBound + 1
        try replace(place..<place, with: new)
    }

    /// The result is parsed again: `raw` bytes may be anything, and nesting may become too deep.
    private mutating func replace(_ range: Range<Int>, with text: [UInt8]) throws(JSONPathError) {
        var changed = bytes
        changed.replaceSubrange(range, with: text)
        try check(changed)
        bytes = changed
    }

    /// Each child is removed with the comma before it; those at the start with the one after.
    private static func cut(
        _ found: [Int], from children: [JSONTextCursor.Child], _ bytes: [UInt8]
    ) -> [UInt8] {
        var kept: [UInt8] = []
        var position = 0
        for (goneCount, index) in found.enumerated() {
            let isFirst = goneCount == index
            let start = isFirst ? children[index].start : children[index - 1].value.upperBound
            let end =
                isFirst && index + 1 < children.count
                ? children[index + 1].start : children[index].value.upperBound
            kept += bytes[position..<start]
            position = end
        }
        return kept + bytes[position...]
    }
}

/// Navigates a text that is known to be valid JSON, to find the positions of values.
struct JSONTextCursor {
    /// A child of a container, and its position.
    struct Child {
        /// The bytes between the quotation marks of a member's name; nil for an element.
        let name: JSONStringToken?
        /// The start of the child; for a member, the start of its name.
        let start: Int
        let value: Range<Int>
    }

    private struct Extent {
        let start: Int
        var end: Int
    }

    private let bytes: [UInt8]
    /// All containers by start position, so that a container is scanned only when its own children
    /// are needed: finding a position takes time linear in the text, at any depth.
    private let containers: [Extent]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        containers = JSONTextCursor.containers(bytes)
    }

    private static func containers(_ bytes: [UInt8]) -> [Extent] {
        var containers: [Extent] = []
        var open: [Int] = []
        var tokenizer = JSONTokenizer()
        var index = 0
        while let token = tokenizer.next(in: bytes.span, from: &index) {
            switch token.kind {
            case .opener:
                open.append(containers.count)
                containers.append(Extent(start: token.range.lowerBound, end: bytes.count))
            case .closer:
                if let closed = open.popLast() { containers[closed].end = index }
            case .comma, .colon, .string, .scalar: break
            }
        }
        return containers
    }

    func root() -> Range<Int> {
        let start = visible(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        return start..<end(of: start)
    }

    func isObject(at start: Int) -> Bool { byte(start) == 0x7B }
    func isArray(at start: Int) -> Bool { byte(start) == 0x5B }

    /// The children of the container that starts at a position, in order.
    func children(of container: Int) -> [Child] {
        var children: [Child] = []
        var index = visible(container + 1)
        while index < bytes.count, bytes[index] != 0x5D, bytes[index] != 0x7D {
            let start = index
            var name: JSONStringToken?
            if isObject(at: container) {
                let nameEnd = end(of: index)
                name = JSONStringToken(
                    range: start + 1..<nameEnd - 1,
                    hasEscapes: bytes[start..<nameEnd].contains(0x5C)
                )
                index = visible(visible(nameEnd) + 1)
            }
            let valueEnd = end(of: index)
            children.append(Child(name: name, start: start, value: index..<valueEnd))
            index = visible(valueEnd)
            if byte(index) == 0x2C { index = visible(index + 1) }
        }
        return children
    }

    func text(_ name: JSONStringToken) -> String { name.text(in: bytes.span) }

    /// The end of the value that starts at a position.
    private func end(of start: Int) -> Int {
        if isObject(at: start) || isArray(at: start) { return endOfContainer(start) }
        return JSONTokenizer.token(in: bytes.span, from: start)?.range.upperBound ?? start
    }

    private func endOfContainer(_ start: Int) -> Int {
        var range = containers.indices
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            let found = containers[middle]
            if found.start == start { return found.end }
            range = found.start < start ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return bytes.count
    }

    private func visible(_ start: Int) -> Int {
        var index = start
        while index < bytes.count, Byte.isJSONWhitespace(bytes[index]) { index += 1 }
        return index
    }

    private func byte(_ index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }
}
