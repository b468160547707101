/// The field lines of one message, byte for byte and in their order (RFC 9110 §5).
///
/// The bytes are kept as they came: the case of names, white space, duplicates and the bytes of
/// values are preserved. An index makes lookups cheap. Lines are never joined: `Set-Cookie` and
/// similar fields stay separate.
public struct HeaderFields: Sendable {
    /// The position of one field line in `bytes`; offsets in bytes.
    public struct Line: Sendable, Hashable {
        /// The first byte of the name.
        public let start: UInt32
        /// One past the name: the colon, in a well-formed line.
        public let nameEnd: UInt32
        /// The first byte of the value, after optional white space.
        public let valueStart: UInt32
        /// One past the last byte of the value, before optional white space.
        public let valueEnd: UInt32
        /// One past the line terminator.
        public let end: UInt32
        /// The name, if it is one that framing needs to recognise.
        public let name: FieldName
        /// How HPACK encoded the line; `.text` in HTTP/1.
        public let coding: FieldCoding

        /// Creates a line; the caller must have checked the offsets.
        public init(
            start: UInt32, nameEnd: UInt32, valueStart: UInt32, valueEnd: UInt32, end: UInt32,
            name: FieldName, coding: FieldCoding = .text
        ) {
            self.start = start
            self.nameEnd = nameEnd
            self.valueStart = valueStart
            self.valueEnd = valueEnd
            self.end = end
            self.name = name
            self.coding = coding
        }

        public var nameRange: Range<Int> { Int(start)..<Int(nameEnd) }
        /// The bytes of the value, without surrounding white space.
        public var valueRange: Range<Int> { Int(valueStart)..<Int(valueEnd) }
        /// The bytes of the whole line, including CRLF.
        public var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// The bytes that the lines refer to. In a parsed head, they start with the start line.
    public private(set) var bytes: [UInt8]
    public internal(set) var lines: [Line]

    public init() {
        bytes = []
        lines = []
    }

    /// Creates the fields of a parsed head, with lines that refer to its bytes.
    public init(bytes: [UInt8], lines: [Line]) {
        self.bytes = bytes
        self.lines = lines
    }

    public init(_ pairs: [(name: String, value: String)]) {
        self.init()
        for pair in pairs { append(name: pair.name, value: pair.value) }
    }

    public var count: Int { lines.count }
    public var isEmpty: Bool { lines.isEmpty }

    /// Appends `name: value` as the last line. The caller must ensure that both are valid (without
    /// CR, LF and NUL; `HTTPWire` validates everything that is sent).
    public mutating func append(name: String, value: String) {
        append(name: Array(name.utf8), value: Array(value.utf8))
    }

    public mutating func append(name: [UInt8], value: [UInt8]) {
        append(name: name, value: value, coding: .text)
    }

    mutating func append(name: [UInt8], value: [UInt8], coding: FieldCoding) {
        let start = UInt32(truncatingIfNeeded: bytes.count)
        bytes.append(contentsOf: name)
        let nameEnd = UInt32(truncatingIfNeeded: bytes.count)
        bytes.append(0x3A)
        bytes.append(0x20)
        let valueStart = UInt32(truncatingIfNeeded: bytes.count)
        bytes.append(contentsOf: value)
        let valueEnd = UInt32(truncatingIfNeeded: bytes.count)
        bytes.append(0x0D)
        bytes.append(0x0A)
        lines.append(
            Line(
                start: start, nameEnd: nameEnd, valueStart: valueStart, valueEnd: valueEnd,
                end: UInt32(truncatingIfNeeded: bytes.count), name: FieldName(name.span),
                coding: coding))
    }

    /// Removes every line with this name, ignoring case.
    public mutating func removeAll(named name: String) {
        let wanted = Array(name.utf8)
        let bytes = self.bytes
        lines.removeAll {
            ASCII.equalsIgnoringCase(bytes.span.extracting($0.nameRange), wanted.span)
        }
    }

    /// Replaces all lines with this name by one at the position of the first, or appends it.
    public mutating func set(name: String, value: String) {
        let wanted = Array(name.utf8)
        let index = lines.firstIndex {
            ASCII.equalsIgnoringCase(bytes.span.extracting($0.nameRange), wanted.span)
        }
        removeAll(named: name)
        append(name: name, value: value)
        if let index, index < lines.count - 1 { lines.insert(lines.removeLast(), at: index) }
    }

    /// The first value of a name, ignoring case; nil if there is no such line. Setting a value
    /// replaces all lines of the name, and setting nil removes them.
    public subscript(name: String) -> String? {
        get { values(named: name).first }
        set {
            if let newValue { set(name: name, value: newValue) } else { removeAll(named: name) }
        }
    }

    public func values(named name: String) -> [String] {
        let wanted = Array(name.utf8)
        return lines.compactMap { line in
            ASCII.equalsIgnoringCase(bytes.span.extracting(line.nameRange), wanted.span)
                ? value(of: line) : nil
        }
    }

    /// Returns the first line of a recognised name; cheap.
    public func first(_ name: FieldName) -> Line? {
        // Compares raw values, because `==` of the enum would be a function call for each line.
        let number = name.rawValue
        for line in lines where line.name.rawValue == number { return line }
        return nil
    }

    /// Returns the first value of a recognised name as text; cheap.
    public func value(_ name: FieldName) -> String? { first(name).map(value(of:)) }

    public func name(of line: Line) -> String { ASCII.text(bytes[line.nameRange]) }

    /// Returns the value of a line as text: as UTF-8 if valid, otherwise as Latin-1.
    public func value(of line: Line) -> String { ASCII.text(bytes[line.valueRange]) }

    public var pairs: [(name: String, value: String)] {
        lines.map { (name: name(of: $0), value: value(of: $0)) }
    }

    /// Appends all lines, unchanged, to `output`.
    public func write(into output: inout [UInt8]) {
        for line in lines { output.append(contentsOf: bytes[line.range]) }
    }
}

extension HeaderFields: Equatable, Hashable {
    /// Equal if the lines are equal byte for byte; other contents of `bytes` do not matter.
    public static func == (left: HeaderFields, right: HeaderFields) -> Bool {
        left.lines.count == right.lines.count
            && zip(left.lines, right.lines).allSatisfy {
                left.bytes[$0.range] == right.bytes[$1.range]
            }
    }

    public func hash(into hasher: inout Hasher) {
        for line in lines { hasher.combine(bytes[line.range]) }
    }
}

/// Edits that leave all other lines unchanged, byte for byte.
extension HeaderFields {
    /// Changes the value of a line; its name keeps its spelling and its position. Does nothing if
    /// the position does not exist.
    public mutating func setValue(_ value: [UInt8], ofLineAt position: Int) {
        guard lines.indices.contains(position) else { return }
        let line = lines[position]
        append(name: Array(bytes[line.nameRange]), value: value, coding: line.coding)
        lines[position] = lines.removeLast()
    }

    /// Removes a line. Does nothing if the position does not exist.
    public mutating func removeLine(at position: Int) {
        if lines.indices.contains(position) { lines.remove(at: position) }
    }

    /// Returns the positions of the lines with this name, ignoring case.
    public func positions(named name: String) -> [Int] {
        let wanted = Array(name.utf8)
        return lines.indices.filter {
            ASCII.equalsIgnoringCase(bytes.span.extracting(lines[$0].nameRange), wanted.span)
        }
    }
}

extension HeaderFields: CustomStringConvertible {
    /// `Name: value`, one line each, in order. Secrets are included.
    public var description: String {
        pairs.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}

extension ResponseHead: CustomStringConvertible {
    /// The status line and the fields, one line each. Secrets are included.
    public var description: String {
        let first = "\(version) \(status)" + (reason.isEmpty ? "" : " \(reason)")
        return fields.isEmpty ? first : "\(first)\n\(fields)"
    }
}

extension HeaderFields {
    /// Removes digests of content that has been changed (RFC 9530, RFC 1864). An ETag is kept,
    /// because it identifies the server's version.
    public mutating func removeDigests() {
        for name in ["Content-MD5", "Digest", "Content-Digest", "Repr-Digest"] {
            removeAll(named: name)
        }
    }
}

/// The storage format of field lines whose names or values may contain any bytes, so that a text
/// format would be ambiguous: for each line the length of the name, the name, the length of the
/// value and the value. Lengths are unsigned LEB128 numbers.
public enum FieldList {
    public static func append(name: Span<UInt8>, value: Span<UInt8>, to output: inout [UInt8]) {
        append(name, to: &output)
        append(value, to: &output)
    }

    /// Returns names and values in order; a truncated line at the end is ignored.
    public static func pairs(_ bytes: [UInt8]) -> [(
        name: ArraySlice<UInt8>, value: ArraySlice<UInt8>
    )] {
        var pairs: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        var rest = bytes[...]
        while let name = takePart(&rest), let value = takePart(&rest) {
            pairs.append((name, value))
        }
        return pairs
    }

    /// Returns the lines for display, as `name: value`, whatever bytes they contain.
    public static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        pairs(bytes).map { $0.name + [0x3A, 0x20] + $0.value }
    }

    private static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        appendLength(bytes.count, to: &output)
        bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }

    private static func appendLength(_ count: Int, to output: inout [UInt8]) {
        var left = UInt(bitPattern: count)
        while left >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: left) | 0x80)
            left &>>= 7
        }
        output.append(UInt8(truncatingIfNeeded: left))
    }

    private static func takePart(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var count = 0
        var shift = 0
        while true {
            guard shift < 35, let byte = rest.popFirst() else { return nil }
            count |= Int(byte & 0x7F) &<< shift
            if byte & 0x80 == 0 { break }
            shift &+= 7
        }
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
