/// Parses JSON texts strictly (RFC 8259), preserving order, duplicate names and digits.
///
/// Not called JSONDecoder, since Foundation uses that name.
public struct JSONReader: Sendable {
    public var limits: JSONLimits

    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
    }

    /// - Throws: The first error, with its position.
    public func read(_ bytes: Span<UInt8>) throws(JSONSyntaxError) -> JSONValue {
        try JSONParser.parse(bytes, limits: limits, into: JSONTreeBuilder()).root
    }

    public func read(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        try read(bytes.span)
    }

    /// Checks a text without building its value.
    /// - Throws: the first error, with its position.
    package func check(_ bytes: Span<UInt8>) throws(JSONSyntaxError) {
        _ = try JSONParser.parse(bytes, limits: limits, into: JSONNothing())
    }
}

public struct JSONLimits: Sendable, Hashable {
    /// The maximum nesting depth of arrays and objects. The value is capped at 1,024: freeing a
    /// tree uses stack for each level.
    public var depthMax: Int {
        didSet { depthMax = min(depthMax, 1_024) }
    }
    public var byteCountMax: Int

    public init(depthMax: Int = 512, byteCountMax: Int = 64 << 20) {
        self.depthMax = min(depthMax, 1_024)
        self.byteCountMax = byteCountMax
    }
}

/// Why a text is not valid JSON (RFC 8259), and where.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The text ends inside a value, or is empty.
        case unexpectedEnd
        /// A byte that is not allowed at this position.
        case unexpectedByte
        /// Something follows the value.
        case trailingContent
        /// An unescaped control character inside a string (§7).
        case controlCharacter
        /// A backslash followed by an unknown escape.
        case badEscape
        /// Bytes that are not UTF-8 (§8.1).
        case invalidUTF8
        /// A number that does not match the grammar (§6).
        case badNumber
        case tooDeep
        case tooLarge
    }

    public let kind: Kind
    /// The number of bytes before the error.
    public let offset: Int
    /// The line of the error, from 1; LF ends a line.
    public let line: Int
    /// The column of the error in characters (Unicode scalars), from 1.
    public let column: Int

    /// Creates an error at an offset of a text, and computes its line and column.
    init(_ kind: Kind, at offset: Int, in bytes: Span<UInt8>) {
        self.kind = kind
        self.offset = offset
        var line = 1
        var column = 1
        for index in 0..<min(offset, bytes.count) {
            if bytes[index] == 0x0A {
                line += 1
                column = 1
            } else if bytes[index] & 0xC0 != 0x80 {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// A message with the position; it never contains bytes of the text.
    public var description: String {
        let problem =
            switch kind {
            case .unexpectedEnd: "the text ends too early"
            case .unexpectedByte: "unexpected character"
            case .trailingContent: "something follows the value"
            case .controlCharacter: "control character in a string"
            case .badEscape: "unknown escape"
            case .invalidUTF8: "not UTF-8"
            case .badNumber: "not a number"
            case .tooDeep: "nested too deep"
            case .tooLarge: "too large"
            }
        return "line \(line), column \(column): \(problem)"
    }
}

/// Builds a `JSONValue` during parsing.
struct JSONTreeBuilder: JSONHandler {
    private struct Frame {
        let isObject: Bool
        var name = ""
        var elements: [JSONValue] = []
        var members: [JSONValue.Member] = []
    }

    private var frames: [Frame] = []
    private(set) var root = JSONValue.null

    var isFull: Bool { false }

    mutating func beginObject() { frames.append(Frame(isObject: true)) }
    mutating func endObject() { endContainer() }
    mutating func beginArray() { frames.append(Frame(isObject: false)) }
    mutating func endArray() { endContainer() }

    mutating func name(_ token: JSONStringToken, in bytes: Span<UInt8>) {
        guard !frames.isEmpty else { return }
        frames[frames.count - 1].name = token.text(in: bytes)
    }

    mutating func string(_ token: JSONStringToken, in bytes: Span<UInt8>) {
        add(.string(token.text(in: bytes)))
    }

    mutating func number(_ range: Range<Int>, in bytes: Span<UInt8>) {
        let digits = bytes.extracting(range)
        add(.number(digits.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }))
    }

    mutating func bool(_ value: Bool) { add(.bool(value)) }
    mutating func null() { add(.null) }

    private mutating func endContainer() {
        guard let frame = frames.popLast() else { return }
        add(frame.isObject ? .object(frame.members) : .array(frame.elements))
    }

    private mutating func add(_ value: JSONValue) {
        guard let top = frames.indices.last else {
            root = value
            return
        }
        if frames[top].isObject {
            frames[top].members.append(.init(name: frames[top].name, value: value))
        } else {
            frames[top].elements.append(value)
        }
    }
}

/// Discards everything: used to check whether a text is JSON.
struct JSONNothing: JSONHandler {
    var isFull: Bool { false }
    mutating func beginObject() {}
    mutating func endObject() {}
    mutating func beginArray() {}
    mutating func endArray() {}
    mutating func name(_ token: JSONStringToken, in bytes: Span<UInt8>) {}
    mutating func string(_ token: JSONStringToken, in bytes: Span<UInt8>) {}
    mutating func number(_ range: Range<Int>, in bytes: Span<UInt8>) {}
    mutating func bool(_ value: Bool) {}
    mutating func null() {}
}
