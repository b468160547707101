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

    /// The start and end of a container.
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

    /// The range of the root value.
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

    /// The decoded text of a member's name.
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

    private func byte(_ index: Int) -> UInt8? {
        bytes.indices.contains(index) ? bytes[index] : nil
    }
}
