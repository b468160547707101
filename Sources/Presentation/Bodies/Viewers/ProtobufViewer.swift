internal import ProxydParameterCoding
internal import ProxydProtobuf

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
        case .field(let head, let guess): append(head, guess, bytes, to: &rendered)
        case .continuation(let isText):
            rendered.appendIndent(2)
            rendered.appendBytes(bytes[...], isText: isText)
        case .problem:
            rendered.append("no field: ", .bad)
            rendered.append(HexLines.text(bytes[...]), .dim)
        }
        return rendered
    }

    private static func append(
        _ head: WireHead, _ guess: ProtobufGuess, _ bytes: [UInt8], to line: inout StyledText
    ) {
        line.append("\(head.number)", .key)
        line.append(": ", .punctuation)
        let payload = bytes.dropFirst(head.byteCount)
        switch head.wireType {
        case .varint: appendVarint(head.value, to: &line)
        case .fixed32:
            let bits = UInt32(truncatingIfNeeded: WireHead.little(payload))
            line.append("\(bits)", .number)
            line.append("  float \(Float(bitPattern: bits))", .dim)
        case .fixed64:
            let bits = WireHead.little(payload)
            line.append("\(bits)", .number)
            line.append("  double \(Double(bitPattern: bits))", .dim)
        case .bytes: appendDelimited(head, guess, payload, to: &line)
        case .groupStart, .groupEnd: break
        }
        let wanted = min(head.payloadByteCount, ProtobufScanner.valueByteCountMax)
        if guess != .message, payload.count < wanted { line.append(" cut", .bad) }
    }

    private static func appendVarint(_ value: UInt64, to line: inout StyledText) {
        line.append("\(value)", .number)
        if value > UInt64(Int64.max) { line.append("  int \(Int64(bitPattern: value))", .dim) }
        // ZigZag encodes negative numbers as odd values.
        if value & 1 == 1, value > 1 { line.append("  sint \(ZigZag.decoded(value))", .dim) }
    }

    private static func appendDelimited(
        _ head: WireHead, _ guess: ProtobufGuess, _ payload: ArraySlice<UInt8>,
        to line: inout StyledText
    ) {
        let size = Quantity.bytes(Int64(head.payloadByteCount))
        switch guess {
        case .message: line.append("{ \(size) }", .punctuation)
        case .text: line.append(payload, .string)
        case .bytes:
            line.append("\(size)  ", .dim)
            line.append(HexLines.text(payload), .string)
        }
    }
}

/// Finds the fields of protocol buffers without their schema, one per line. Guesses from the
/// contents of a payload whether it is a message, a string or bytes.
struct ProtobufScanner: LineScanner {
    struct Line: ScannedLine {
        enum Kind: Sendable, Hashable {
            case field(WireHead, ProtobufGuess)
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
    /// How many bytes of a payload are examined to guess its type.
    private static let lookByteCountMax = 4 << 10

    /// The end offsets of the open messages, outermost first.
    private var ends: [Int] = []
    private var restByteCount = 0
    private var restIsText = false

    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line> {
        if bytes.isEmpty { return isEnd ? .ended : .needsMore }
        while let end = ends.last, offset >= end { ends.removeLast() }
        if restByteCount > 0 { return rest(bytes, offset, isEnd) }
        let limit = ends.last.map { min(bytes.count, $0 - offset) } ?? bytes.count
        let message = bytes.extracting(0..<limit)
        // If the message is completely in view, so is its field.
        let isWhole = isEnd || limit < bytes.count
        guard let head = ProtobufScanner.head(message) else {
            if !isWhole, bytes.count < ProtobufScanner.problemByteCountMax { return .needsMore }
            return problem(limit, offset)
        }
        return field(head, message, offset, isWhole: isWhole)
    }

    /// After an invalid field the rest of its message is shown as bytes.
    private mutating func problem(_ limit: Int, _ offset: Int) -> ScanResult<Line> {
        let taken = min(limit, ProtobufScanner.problemByteCountMax)
        let line = Line(range: offset..<offset + taken, depth: ends.count, kind: .problem)
        restByteCount = (ends.last ?? .max) - offset - taken
        restIsText = false
        return .line(line, byteCount: taken)
    }

    /// The head of the field at the start; nil for an invalid one or a group, shown as bytes.
    fileprivate static func head(_ bytes: Span<UInt8>) -> WireHead? {
        guard let head = try? WireHead(bytes), head.wireType != .groupStart,
            head.wireType != .groupEnd, head.payloadByteCount < 1 << 40
        else { return nil }
        return head
    }

    private mutating func field(
        _ head: WireHead, _ bytes: Span<UInt8>, _ offset: Int, isWhole: Bool
    ) -> ScanResult<Line> {
        let available = bytes.count - head.byteCount
        let looked = min(head.payloadByteCount, ProtobufScanner.lookByteCountMax)
        if available < looked, !isWhole { return .needsMore }
        let payload = bytes.extracting(head.byteCount..<head.byteCount + min(looked, available))
        let guess =
            head.wireType == .bytes
            ? ProtobufGuess(payload, isWhole: head.payloadByteCount <= payload.count) : .bytes
        let depth = ends.count
        var taken = head.byteCount
        if guess == .message, ends.count < ProtobufScanner.depthMax {
            let end = offset + head.byteCount + head.payloadByteCount
            ends.append(min(end, ends.last ?? end))
        } else {
            let shown = min(head.payloadByteCount, ProtobufScanner.valueByteCountMax)
            taken += min(shown, max(0, available))
            restByteCount = head.payloadByteCount - shown
            restIsText = guess == .text
        }
        let line = Line(range: offset..<offset + taken, depth: depth, kind: .field(head, guess))
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
            guard let head = ProtobufScanner.head(rest) else {
                return !isWhole && index > 0 && rest.count < WireHead.byteCountMax
            }
            index += head.byteCount + head.payloadByteCount
        }
        return isWhole ? index == bytes.count : true
    }
}
