/// The field lines of one message, octet for octet and in their order (RFC 9110 §5).
///
/// The octets are kept as they came: case of names, white space, duplicates and the bytes of
/// values survive. An index over them makes look-ups cheap. Nothing is ever joined: `Set-Cookie`
/// and its like stay separate lines.
public struct HeaderFields: Sendable {
    /// Where one field line lies in `octets`; offsets in octets.
    public struct Line: Sendable, Hashable {
        /// The first octet of the name.
        public let start: UInt32
        /// One past the name: the colon, in a well-formed line.
        public let nameEnd: UInt32
        /// The value's first octet, optional white space skipped.
        public let valueStart: UInt32
        /// One past the value's last octet, optional white space skipped.
        public let valueEnd: UInt32
        /// One past the line's terminator.
        public let end: UInt32
        /// Which of the names that matter to framing this is.
        public let name: FieldName
        /// How HPACK wrote it; nothing in HTTP/1.
        public let coding: FieldCoding

        /// A line whose offsets the caller has checked against its octets.
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

        /// The octets of the name.
        public var nameRange: Range<Int> { Int(start)..<Int(nameEnd) }
        /// The octets of the value without the white space around it.
        public var valueRange: Range<Int> { Int(valueStart)..<Int(valueEnd) }
        /// The whole line, its CRLF included.
        public var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// What the lines point into. A parsed head's octets begin with its start line.
    public private(set) var octets: [UInt8]
    /// The lines in their order.
    public internal(set) var lines: [Line]

    /// No fields.
    public init() {
        octets = []
        lines = []
    }

    /// Fields of a parsed head: lines that point into its octets.
    public init(octets: [UInt8], lines: [Line]) {
        self.octets = octets
        self.lines = lines
    }

    /// Fields from names and values, in order.
    public init(_ pairs: [(name: String, value: String)]) {
        self.init()
        for pair in pairs { append(name: pair.name, value: pair.value) }
    }

    /// The number of lines.
    public var count: Int { lines.count }
    /// Whether there is no line.
    public var isEmpty: Bool { lines.isEmpty }

    /// Adds `name: value` as the last line. The caller answers for both being legal (no CR, LF or
    /// NUL: `HTTPWire` validates on every way out).
    public mutating func append(name: String, value: String) {
        append(name: Array(name.utf8), value: Array(value.utf8))
    }

    /// Adds `name: value` as the last line, as octets.
    public mutating func append(name: [UInt8], value: [UInt8]) {
        append(name: name, value: value, coding: .text)
    }

    mutating func append(name: [UInt8], value: [UInt8], coding: FieldCoding) {
        let start = UInt32(truncatingIfNeeded: octets.count)
        octets.append(contentsOf: name)
        let nameEnd = UInt32(truncatingIfNeeded: octets.count)
        octets.append(0x3A)
        octets.append(0x20)
        let valueStart = UInt32(truncatingIfNeeded: octets.count)
        octets.append(contentsOf: value)
        let valueEnd = UInt32(truncatingIfNeeded: octets.count)
        octets.append(0x0D)
        octets.append(0x0A)
        lines.append(
            Line(
                start: start, nameEnd: nameEnd, valueStart: valueStart, valueEnd: valueEnd,
                end: UInt32(truncatingIfNeeded: octets.count), name: FieldName(name.span),
                coding: coding))
    }

    /// Removes every line of a name, whatever its case.
    public mutating func removeAll(named name: String) {
        let wanted = Array(name.utf8)
        let octets = self.octets
        lines.removeAll {
            ASCII.equalsIgnoringCase(octets.span.extracting($0.nameRange), wanted.span)
        }
    }

    /// Replaces every line of a name by one at the place of the first, or adds it at the end.
    public mutating func set(name: String, value: String) {
        let wanted = Array(name.utf8)
        let place = lines.firstIndex {
            ASCII.equalsIgnoringCase(octets.span.extracting($0.nameRange), wanted.span)
        }
        removeAll(named: name)
        append(name: name, value: value)
        if let place, place < lines.count - 1 { lines.insert(lines.removeLast(), at: place) }
    }

    /// The first value of a name, whatever the name's case; nil where there is none. A new value
    /// takes the place of all lines of the name, and nil removes them.
    public subscript(name: String) -> String? {
        get { values(named: name).first }
        set {
            if let newValue { set(name: name, value: newValue) } else { removeAll(named: name) }
        }
    }

    /// All values of a name in their order.
    public func values(named name: String) -> [String] {
        let wanted = Array(name.utf8)
        return lines.compactMap { line in
            ASCII.equalsIgnoringCase(octets.span.extracting(line.nameRange), wanted.span)
                ? value(of: line) : nil
        }
    }

    /// The first line of a recognised name; cheap.
    public func first(_ name: FieldName) -> Line? {
        // Numbers: the cases' own `==` would be a call for each line.
        let number = name.rawValue
        for line in lines where line.name.rawValue == number { return line }
        return nil
    }

    /// The first value of a recognised name as text; cheap.
    public func value(_ name: FieldName) -> String? { first(name).map(value(of:)) }

    /// A line's name as text.
    public func name(of line: Line) -> String { ASCII.text(octets[line.nameRange]) }

    /// A line's value as text: UTF-8 where valid, else Latin-1.
    public func value(of line: Line) -> String { ASCII.text(octets[line.valueRange]) }

    /// Names and values as text, in order.
    public var pairs: [(name: String, value: String)] {
        lines.map { (name: name(of: $0), value: value(of: $0)) }
    }

    /// Writes the lines, as they are, behind each other.
    public func write(into output: inout [UInt8]) {
        for line in lines { output.append(contentsOf: octets[line.range]) }
    }
}

extension HeaderFields: Equatable, Hashable {
    /// Equal when the lines are, octet for octet; what else `octets` holds does not matter.
    public static func == (left: HeaderFields, right: HeaderFields) -> Bool {
        left.lines.count == right.lines.count
            && zip(left.lines, right.lines).allSatisfy {
                left.octets[$0.range] == right.octets[$1.range]
            }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        for line in lines { hasher.combine(octets[line.range]) }
    }
}
