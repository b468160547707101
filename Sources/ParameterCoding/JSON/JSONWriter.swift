/// Writes JSON texts (RFC 8259): a text read by `JSONReader` and written again keeps its order,
/// duplicate names and digits.
public struct JSONWriter: Sendable, Hashable {
    /// The order of an object's members.
    public enum KeyOrder: Sendable, Hashable {
        case asGiven
        /// By the names' Unicode scalars, at every level; members with equal names keep their
        /// order. Elements of arrays keep their order, those of sets are sorted by their text.
        case sorted
    }

    public var keyOrder: KeyOrder
    /// The number of spaces per level of nesting, with one value per line; nil writes everything on
    /// one line without white space.
    public var indentationByteCount: Int?
    /// Whether `/` is written as `\/`, Foundation's default.
    public var escapesSlashes: Bool
    /// Whether U+2028 and U+2029 are escaped, which end lines in older JavaScript. On by default.
    public var escapesLineSeparators: Bool
    /// Whether a double without a fraction is written without `.0`, as Foundation does.
    public var writesWholeDoublesAsIntegers: Bool
    /// The maximum nesting depth of arrays and objects, capped at 1,024.
    public var depthMax: Int {
        didSet { depthMax = min(depthMax, 1_024) }
    }
    public var dates: JSONDateStyle
    public var data: JSONDataStyle

    public init(
        keyOrder: KeyOrder = .asGiven, indentationByteCount: Int? = nil,
        escapesSlashes: Bool = false, escapesLineSeparators: Bool = true,
        writesWholeDoublesAsIntegers: Bool = false, depthMax: Int = 512,
        dates: JSONDateStyle = .deferredToDate, data: JSONDataStyle = .base64
    ) {
        self.keyOrder = keyOrder
        self.indentationByteCount = indentationByteCount
        self.escapesSlashes = escapesSlashes
        self.escapesLineSeparators = escapesLineSeparators
        self.writesWholeDoublesAsIntegers = writesWholeDoublesAsIntegers
        self.depthMax = min(depthMax, 1_024)
        self.dates = dates
        self.data = data
    }

    /// - Throws: if a number does not match JSON's grammar, or the nesting is too deep.
    public func write(_ value: JSONValue) throws(JSONWritingError) -> [UInt8] {
        var output = JSONOutput(style: self)
        try output.write(.value(value))
        return output.bytes
    }

    /// `raw` bytes are written unchanged; the caller is responsible for them.
    /// - Throws: if a number cannot be represented in JSON, a date cannot be represented in the
    ///   style, or the nesting is too deep.
    public func write(_ parameter: Parameter) throws(JSONWritingError) -> [UInt8] {
        var output = JSONOutput(style: self)
        try output.write(.parameter(parameter))
        return output.bytes
    }
}

/// How binary data is written in JSON, which has no type for it.
public enum JSONDataStyle: Sendable, Hashable {
    /// A string in Base64 with padding (RFC 4648 §4).
    case base64
    /// An array of numbers, one per byte, as Foundation's `Data` encodes itself.
    case deferredToData
}

/// How a date is written in JSON, which has no type for it.
public enum JSONDateStyle: Sendable, Hashable {
    /// Seconds from 2001-01-01T00:00:00Z as a number, as Foundation's `Date` encodes itself.
    case deferredToDate
    /// Seconds from 1970-01-01T00:00:00Z as a number.
    case secondsSince1970
    /// Milliseconds from 1970-01-01T00:00:00Z as a number.
    case millisecondsSince1970
    /// `2001-02-03T04:05:06Z` as a string, with fractions of a second truncated.
    case iso8601
}

/// Why a value cannot be written as JSON.
public enum JSONWritingError: Error, Sendable, Hashable {
    /// An infinity or NaN, or a non-finite date.
    case notFinite
    /// A number given as text that does not match JSON's grammar (RFC 8259 §6).
    case badNumber(String)
    /// A date outside the years 1 to 9999, which the style cannot represent.
    case dateOutOfRange(ParameterDate)
    case tooDeep
}

extension JSONWritingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notFinite: "a number is infinite or not a number and has no form in JSON"
        case .badNumber(let text): "a number is written “\(text)”, which is not a number in JSON"
        case .dateOutOfRange: "a date is not in the years 1 to 9999"
        case .tooDeep: "the value is nested too deep"
        }
    }
}

/// The output of a `JSONWriter`. Nesting uses no stack.
struct JSONOutput {
    private(set) var bytes: [UInt8] = []
    private let style: JSONWriter
    /// The open containers, the innermost one last.
    private var levels: [JSONLevel] = []

    init(style: JSONWriter) { self.style = style }

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
        case .parameter(.object(let members)): try open(.parameterMembers(ordered(members, \.name)))
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
        case .data(let data): append("\"\(Base64.text(data))\"")
        case .date(let date): try writeDate(date)
        case .raw(let raw): bytes += raw
        case .null, .array, .set, .object: append("null")
        }
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

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

    private mutating func writeString(_ text: String) {
        bytes.append(0x22)
        JSONStringText.append(
            text, escapingSlashes: style.escapesSlashes,
            escapingLineSeparators: style.escapesLineSeparators, to: &bytes
        )
        bytes.append(0x22)
    }
}

struct JSONLevel {
    enum Item {
        case value(JSONValue)
        case parameter(Parameter)
    }

    /// The children of a container, in output order.
    enum Children {
        case values([JSONValue])
        case valueMembers([JSONValue.Member])
        case parameters([Parameter])
        case parameterMembers([Parameter.Member])

        var isObject: Bool {
            switch self {
            case .values, .parameters: false
            case .valueMembers, .parameterMembers: true
            }
        }

        var count: Int {
            switch self {
            case .values(let elements): elements.count
            case .valueMembers(let members): members.count
            case .parameters(let elements): elements.count
            case .parameterMembers(let members): members.count
            }
        }
    }

    private let children: Children
    private let count: Int
    private var next = 0
    /// Whether the elements are sorted by their text.
    let isSortedSet: Bool
    /// The texts of elements that await sorting.
    var texts: [[UInt8]] = []
    /// The start of the current element's text.
    var elementStart: Int?

    init(_ children: Children, isSortedSet: Bool) {
        self.children = children
        self.isSortedSet = isSortedSet
        count = children.count
    }

    var isObject: Bool { children.isObject }
    var isEmpty: Bool { count == 0 }
    var isAtStart: Bool { next == 0 }
    var isAtEnd: Bool { next == count }

    /// The next child; must not be called after the last one.
    mutating func takeNext() -> (name: String?, item: Item) {
        defer { next += 1 }
        switch children {
        case .values(let elements): return (nil, .value(elements[next]))
        case .valueMembers(let members): return (members[next].name, .value(members[next].value))
        case .parameters(let elements): return (nil, .parameter(elements[next]))
        case .parameterMembers(let members):
            return (members[next].name, .parameter(members[next].value))
        }
    }
}
