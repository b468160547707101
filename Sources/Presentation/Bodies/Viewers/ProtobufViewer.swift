internal import ProxydParameterCoding

/// Shows protocol buffers without their schema: field numbers, and possible meanings of values.
struct ProtobufViewer: ScanningViewer {
    static let name = "protobuf"

    var index: LineIndex<ProtobufScanner>

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .protobuf: 90
        case .binary: 11
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        index = LineIndex(ProtobufScanner(), source)
    }

    func render(_ line: ProtobufScanner.Line, _ bytes: [UInt8]) -> StyledText {
        Self.rendered(line, bytes)
    }

    static func rendered(_ line: ProtobufScanner.Line, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        rendered.appendLevel(line.depth)
        switch line.kind {
        case .field(let field): append(field, bytes, to: &rendered)
        case .continuation(let isText):
            rendered.appendIndent(2)
            if isText {
                rendered.append(bytes[...], .string)
            } else {
                rendered.append(HexLines.text(bytes[...]), .string)
            }
        case .problem:
            rendered.append("no field: ", .bad)
            rendered.append(HexLines.text(bytes[...]), .dim)
        }
        return rendered
    }

    private static func append(_ field: ProtobufField, _ bytes: [UInt8], to line: inout StyledText)
    {
        line.append("\(field.number)", .key)
        line.append(": ", .punctuation)
        let payload = bytes.dropFirst(field.headByteCount)
        switch field.wireType {
        case .varint: appendVarint(field.value, to: &line)
        case .fixed32:
            let bits = UInt32(truncatingIfNeeded: little(payload))
            line.append("\(bits)", .number)
            line.append("  float \(Float(bitPattern: bits))", .dim)
        case .fixed64:
            let bits = little(payload)
            line.append("\(bits)", .number)
            line.append("  double \(Double(bitPattern: bits))", .dim)
        case .delimited: appendDelimited(field, payload, to: &line)
        }
        let wanted = min(field.payloadByteCount, ProtobufScanner.valueByteCountMax)
        if field.guess != .message, payload.count < wanted { line.append(" cut", .bad) }
    }

    private static func appendVarint(_ value: UInt64, to line: inout StyledText) {
        line.append("\(value)", .number)
        if value > UInt64(Int64.max) { line.append("  int \(Int64(bitPattern: value))", .dim) }
        // ZigZag encodes negative numbers as odd values.
        if value & 1 == 1, value > 1 {
            line.append("  sint \(-Int64(bitPattern: value >> 1) - 1)", .dim)
        }
    }

    private static func appendDelimited(
        _ field: ProtobufField, _ payload: ArraySlice<UInt8>, to line: inout StyledText
    ) {
        let size = Quantity.bytes(Int64(field.payloadByteCount))
        switch field.guess {
        case .message: line.append("{ \(size) }", .punctuation)
        case .text: line.append(payload, .string)
        case .bytes:
            line.append("\(size)  ", .dim)
            line.append(HexLines.text(payload), .string)
        }
    }

    private static func little(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Finds the fields of protocol buffers without their schema, one per line. Guesses from the
/// contents of a payload whether it is a message, a string or bytes.
struct ProtobufScanner: LineScanner {
    struct Line: ScannedLine {
        enum Kind: Sendable, Hashable {
            case field(ProtobufField)
            /// Bytes of a long value that did not fit on the previous line.
            case continuation(isText: Bool)
            /// Bytes that are not a valid field.
            case problem
        }

        let range: Range<Int>
        let depth: Int
        let kind: Kind
    }

    private static let depthMax = 64
    /// The maximum number of bytes of a value on one line; the rest continues on the next lines.
    static let valueByteCountMax = 2_048
    /// The maximum number of bytes shown of invalid data.
    private static let problemByteCountMax = 32

    /// The end offsets of the open messages, outermost first.
    private var ends: [Int] = []
    private var restByteCount = 0
    private var restIsText = false

    mutating func next(
        _ bytes: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
        if bytes.isEmpty { return isEnd ? .ended : .needsMore }
        while let end = ends.last, offset >= end { ends.removeLast() }
        if restByteCount > 0 { return rest(bytes, offset, isEnd) }
        let limit = ends.last.map { min(bytes.count, $0 - offset) } ?? bytes.count
        let message = bytes.extracting(0..<limit)
        // If the message is completely in view, so is its field.
        let isWhole = isEnd || limit < bytes.count
        guard let field = ProtobufField(message) else {
            if !isWhole, bytes.count < ProtobufScanner.problemByteCountMax { return .needsMore }
            return problem(limit, offset)
        }
        return self.field(field, message, offset, isWhole: isWhole)
    }

    /// After an invalid field the rest of its message is shown as bytes.
    private mutating func problem(_ limit: Int, _ offset: Int) -> ScanResult<Line> {
        let taken = min(limit, ProtobufScanner.problemByteCountMax)
        let line = Line(range: offset..<offset + taken, depth: ends.count, kind: .problem)
        restByteCount = (ends.last ?? .max) - offset - taken
        restIsText = false
        return .line(line, byteCount: taken)
    }

    private mutating func field(
        _ field: ProtobufField, _ bytes: Span<UInt8>, _ offset: Int, isWhole: Bool
    ) -> ScanResult<Line> {
        var field = field
        let available = bytes.count - field.headByteCount
        let looked = min(field.payloadByteCount, ProtobufField.lookByteCountMax)
        if available < looked, !isWhole { return .needsMore }
        let payload = bytes.extracting(
            field.headByteCount..<field.headByteCount + min(looked, available))
        if field.wireType == .delimited {
            field.guess = ProtobufGuess(payload, isWhole: field.payloadByteCount <= payload.count)
        }
        let depth = ends.count
        var taken = field.headByteCount
        if field.guess == .message, ends.count < ProtobufScanner.depthMax {
            let end = offset + field.headByteCount + field.payloadByteCount
            ends.append(min(end, ends.last ?? end))
        } else {
            let shown = min(field.payloadByteCount, ProtobufScanner.valueByteCountMax)
            taken += min(shown, max(0, available))
            restByteCount = field.payloadByteCount - shown
            restIsText = field.guess == .text
        }
        let line = Line(range: offset..<offset + taken, depth: depth, kind: .field(field))
        return .line(line, byteCount: taken)
    }

    private mutating func rest(
        _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        let wanted = min(restByteCount, ProtobufScanner.valueByteCountMax)
        if bytes.count < wanted, !isEnd { return .needsMore }
        let taken = min(wanted, bytes.count)
        restByteCount -= taken
        return .line(
            Line(
                range: offset..<offset + taken, depth: ends.count,
                kind: .continuation(isText: restIsText)), byteCount: taken)
    }
}

/// A field in the Protocol Buffers wire format: number, wire type, payload.
struct ProtobufField: Sendable, Hashable {
    enum WireType: UInt8, Sendable {
        case varint = 0
        case fixed64 = 1
        case delimited = 2
        case fixed32 = 5
    }

    /// The maximum size of tag and length, two varints of ten bytes at most.
    static let headByteCountMax = 20
    /// How many bytes of a payload are examined to guess its type.
    static let lookByteCountMax = 4 << 10

    let number: UInt64
    let wireType: WireType
    /// The number of bytes before the payload.
    let headByteCount: Int
    let payloadByteCount: Int
    /// The value of a varint; 0 for other wire types.
    let value: UInt64
    /// What a length-delimited payload seems to be.
    var guess = ProtobufGuess.bytes

    /// Parses the field at the start, whose payload may not be in view yet; returns nil if there is
    /// no valid field.
    init?(_ bytes: Span<UInt8>) {
        guard let tag = ProtobufField.varint(bytes, from: 0),
            let type = WireType(rawValue: UInt8(tag.value & 7)), tag.value >> 3 > 0,
            tag.value >> 3 < 1 << 29
        else { return nil }
        number = tag.value >> 3
        wireType = type
        var head = tag.end
        var payload = 0
        var number: UInt64 = 0
        switch type {
        case .varint:
            guard let varint = ProtobufField.varint(bytes, from: tag.end) else { return nil }
            head = varint.end
            number = varint.value
        case .fixed64: payload = 8
        case .fixed32: payload = 4
        case .delimited:
            guard let length = ProtobufField.varint(bytes, from: tag.end),
                let count = Int(exactly: length.value), count < 1 << 40
            else { return nil }
            head = length.end
            payload = count
        }
        headByteCount = head
        payloadByteCount = payload
        value = number
    }

    /// Decodes a varint: base 128, least significant group first.
    static func varint(_ bytes: Span<UInt8>, from start: Int) -> (value: UInt64, end: Int)? {
        var value: UInt64 = 0
        var index = start
        while index < bytes.count, index - start < 10 {
            let byte = bytes[index]
            value |= UInt64(byte & 0x7F) &<< UInt64(7 * (index - start))
            index += 1
            if byte & 0x80 == 0 { return (value, index) }
        }
        return nil
    }
}

/// What a length-delimited payload seems to be.
enum ProtobufGuess: Sendable, Hashable {
    case message, text, bytes

    /// Guesses from the first bytes; `isWhole` says that they are the complete payload.
    init(_ bytes: Span<UInt8>, isWhole: Bool) {
        if bytes.isEmpty || ProtobufGuess.isText(bytes, isWhole: isWhole) {
            self = .text
        } else {
            self = ProtobufGuess.isMessage(bytes, isWhole: isWhole) ? .message : .bytes
        }
    }

    private static func isText(_ bytes: Span<UInt8>, isWhole: Bool) -> Bool {
        var end = bytes.count
        if !isWhole {
            // A character may be cut off at the end of the bytes in view.
            while end > 0, bytes.count - end < 4, bytes[end - 1] >= 0x80 { end -= 1 }
        }
        for index in 0..<end where bytes[index] < 0x20 || bytes[index] == 0x7F {
            guard 0x09...0x0D ~= bytes[index] else { return false }
        }
        return (try? UTF8Span(validating: bytes.extracting(0..<end))) != nil
    }

    /// Whether the bytes are a sequence of fields up to the end.
    private static func isMessage(_ bytes: Span<UInt8>, isWhole: Bool) -> Bool {
        var index = 0
        while index < bytes.count {
            let rest = bytes.extracting(index..<bytes.count)
            guard let field = ProtobufField(rest) else {
                return !isWhole && index > 0 && rest.count < ProtobufField.headByteCountMax
            }
            index += field.headByteCount + field.payloadByteCount
        }
        return isWhole ? index == bytes.count : true
    }
}
