/// Parses RFC 8259 JSON from bytes, iteratively, so that nesting uses no stack, and in linear time.
/// It does not use `JSONTokenizer`: the recorder parses each body with it, so it checks strings and
/// numbers while it finds their ends.
///
/// ```
///           value ──scalar──▶ separator ──","──▶ value (array), name (object)
///             │ "[" "{"          │ "]" "}"
///             ▼                  ▼
///   firstValue, firstName    separator of the container around it, or end
/// ```
struct JSONParser<Handler: JSONHandler> {
    private enum Expectation {
        case value
        case firstValue
        case name
        case firstName
        case separator
        case end
    }

    private enum Container {
        case array
        case object
    }

    private let limits: JSONLimits
    private var handler: Handler
    private var offset = 0
    private var containers: [Container] = []

    static func parse(
        _ bytes: Span<UInt8>, limits: JSONLimits, into handler: consuming Handler
    ) throws(JSONSyntaxError) -> Handler {
        var parser = JSONParser(limits: limits, handler: handler)
        if let kind = parser.run(bytes) {
            throw JSONSyntaxError(kind, at: parser.offset, in: bytes)
        }
        return parser.handler
    }

    /// Parses the longest valid prefix of a text; `kind` is nil if that is the whole text.
    static func parsePrefix(
        of bytes: Span<UInt8>, limits: JSONLimits, into handler: consuming Handler
    ) -> (handler: Handler, kind: JSONSyntaxError.Kind?) {
        var parser = JSONParser(limits: limits, handler: handler)
        let kind = parser.run(bytes)
        return (parser.handler, kind)
    }

    private init(limits: JSONLimits, handler: Handler) {
        self.limits = limits
        self.handler = handler
    }

    private mutating func run(_ bytes: Span<UInt8>) -> JSONSyntaxError.Kind? {
        guard bytes.count <= limits.byteCountMax else { return .tooLarge }
        skipByteOrderMark(bytes)
        var expectation = Expectation.value
        while !handler.isFull {
            skipWhitespace(bytes)
            guard offset < bytes.count else { return expectation == .end ? nil : .unexpectedEnd }
            if let kind = step(bytes, &expectation) { return kind }
        }
        return nil
    }

    private mutating func step(
        _ bytes: Span<UInt8>, _ expectation: inout Expectation
    ) -> JSONSyntaxError.Kind? {
        let byte = bytes[offset]
        switch expectation {
        case .firstValue where byte == 0x5D, .firstName where byte == 0x7D:
            closeContainer(&expectation)
            return nil
        case .value, .firstValue: return value(bytes, byte, &expectation)
        case .name, .firstName:
            guard byte == 0x22 else { return .unexpectedByte }
            expectation = .value
            return name(bytes)
        case .separator: return separator(byte, &expectation)
        case .end: return .trailingContent
        }
    }

    private mutating func value(
        _ bytes: Span<UInt8>, _ byte: UInt8, _ expectation: inout Expectation
    ) -> JSONSyntaxError.Kind? {
        switch byte {
        case 0x7B:
            handler.beginObject()
            return open(.object, .firstName, &expectation)
        case 0x5B:
            handler.beginArray()
            return open(.array, .firstValue, &expectation)
        case 0x22:
            guard let token = string(bytes) else { return stringProblem }
            handler.string(token, in: bytes)
        case 0x2D, 0x30...0x39:
            let start = offset
            guard JSONNumber.skip(bytes, &offset) else {
                return offset < bytes.count ? .badNumber : .unexpectedEnd
            }
            handler.number(start..<offset, in: bytes)
        case 0x74:
            if let kind = literal("true", bytes) { return kind }
            handler.bool(true)
        case 0x66:
            if let kind = literal("false", bytes) { return kind }
            handler.bool(false)
        case 0x6E:
            if let kind = literal("null", bytes) { return kind }
            handler.null()
        default: return .unexpectedByte
        }
        expectation = containers.isEmpty ? .end : .separator
        return nil
    }

    private mutating func name(_ bytes: Span<UInt8>) -> JSONSyntaxError.Kind? {
        guard let token = string(bytes) else { return stringProblem }
        handler.name(token, in: bytes)
        skipWhitespace(bytes)
        guard offset < bytes.count else { return .unexpectedEnd }
        guard bytes[offset] == 0x3A else { return .unexpectedByte }
        offset &+= 1
        return nil
    }

    private mutating func separator(
        _ byte: UInt8, _ expectation: inout Expectation
    ) -> JSONSyntaxError.Kind? {
        let isInObject = containers.last == .object
        if byte == 0x2C {
            offset &+= 1
            expectation = isInObject ? .name : .value
            return nil
        }
        guard byte == (isInObject ? 0x7D : 0x5D) else { return .unexpectedByte }
        closeContainer(&expectation)
        return nil
    }

    private mutating func open(
        _ container: Container, _ inside: Expectation, _ expectation: inout Expectation
    ) -> JSONSyntaxError.Kind? {
        guard containers.count < limits.depthMax else { return .tooDeep }
        containers.append(container)
        offset &+= 1
        expectation = inside
        return nil
    }

    private mutating func closeContainer(_ expectation: inout Expectation) {
        offset &+= 1
        switch containers.popLast() {
        case .object: handler.endObject()
        case .array: handler.endArray()
        case nil: break
        }
        expectation = containers.isEmpty ? .end : .separator
    }

    // MARK: Tokens

    private var stringProblem = JSONSyntaxError.Kind.unexpectedEnd

    /// Reads a string at `offset`; nil if it is invalid, with `offset` at the error.
    private mutating func string(_ bytes: Span<UInt8>) -> JSONStringToken? {
        let start = offset &+ 1
        var index = start
        var hasEscapes = false
        var isASCII = true
        while true {
            index = JSONPlainText.end(bytes, from: index)
            guard index < bytes.count else { return failString(.unexpectedEnd, at: index) }
            let byte = bytes[index]
            if byte == 0x22 { break }
            if byte < 0x20 { return failString(.controlCharacter, at: index) }
            if byte == 0x5C {
                hasEscapes = true
                guard let length = escapeLength(bytes, at: index) else { return nil }
                index &+= length
            } else {
                isASCII = false
                while index < bytes.count, bytes[index] >= 0x80 { index &+= 1 }
            }
        }
        if !isASCII, let invalid = firstInvalidUTF8(bytes.extracting(start..<index)) {
            return failString(.invalidUTF8, at: start &+ invalid)
        }
        offset = index &+ 1
        return JSONStringToken(range: start..<index, hasEscapes: hasEscapes)
    }

    /// The length of the escape at `index` including its backslash; nil if it is invalid.
    private mutating func escapeLength(_ bytes: Span<UInt8>, at index: Int) -> Int? {
        guard index &+ 1 < bytes.count else {
            stringProblem = .unexpectedEnd
            offset = bytes.count
            return nil
        }
        switch bytes[index &+ 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return 2
        case 0x75:
            for digit in (index &+ 2)..<(index &+ 6) {
                let isMissing = digit >= bytes.count
                if isMissing || Byte.hexValue(bytes[digit]) == nil {
                    stringProblem = isMissing ? .unexpectedEnd : .badEscape
                    offset = digit
                    return nil
                }
            }
            return 6
        default:
            stringProblem = .badEscape
            offset = index &+ 1
            return nil
        }
    }

    private mutating func failString(
        _ kind: JSONSyntaxError.Kind, at index: Int
    ) -> JSONStringToken? {
        stringProblem = kind
        offset = index
        return nil
    }

    private func firstInvalidUTF8(_ bytes: Span<UInt8>) -> Int? {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes)
            return nil
        } catch {
            return error.byteOffsets.lowerBound
        }
    }

    private mutating func literal(
        _ word: StaticString, _ bytes: Span<UInt8>
    ) -> JSONSyntaxError.Kind? {
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        for byte in expected {
            guard offset < bytes.count else { return .unexpectedEnd }
            guard bytes[offset] == byte else { return .unexpectedByte }
            offset &+= 1
        }
        return nil
    }

    private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while offset < bytes.count, Byte.isJSONWhitespace(bytes[offset]) { offset &+= 1 }
    }

    /// A byte order mark may be ignored instead of rejected (§8.1), and some clients send one.
    private mutating func skipByteOrderMark(_ bytes: Span<UInt8>) {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { offset = 3 }
    }
}

/// Receives the parts of a JSON text in document order.
protocol JSONHandler {
    /// Whether parsing may stop, because nothing more is needed.
    var isFull: Bool { get }

    mutating func beginObject()
    mutating func endObject()
    mutating func beginArray()
    mutating func endArray()
    mutating func name(_ token: JSONStringToken, in bytes: Span<UInt8>)
    mutating func string(_ token: JSONStringToken, in bytes: Span<UInt8>)
    /// A syntactically valid number; ASCII.
    mutating func number(_ range: Range<Int>, in bytes: Span<UInt8>)
    mutating func bool(_ value: Bool)
    mutating func null()
}
