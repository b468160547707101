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
