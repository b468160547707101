/// Finds the fields of protocol buffers without their schema, one a line. What is a message and
/// what is a string or bytes is guessed by what lies in it. gRPC's frames are told apart.
struct ProtobufScanner: LineScanner {
    struct Line: ScannedLine {
        enum Kind: Sendable, Hashable {
            case field(ProtobufField)
            /// The beginning of a frame of gRPC.
            case frame(byteCount: Int, isCompressed: Bool)
            /// Octets of a long value that did not fit into the line before.
            case continuation(isText: Bool)
            /// What is no field.
            case problem
        }

        let range: Range<Int>
        let depth: Int
        let kind: Kind
    }

    private static let depthMax = 64
    /// Octets of a value shown on one line; the rest goes on in the next ones.
    static let valueByteCountMax = 2_048
    /// Octets shown of what is no field.
    private static let problemByteCountMax = 32

    private let hasFrames: Bool
    /// Where the messages end that are open, the outermost first.
    private var ends: [Int] = []
    private var restByteCount = 0
    private var restIsText = false

    init(hasFrames: Bool) { self.hasFrames = hasFrames }

    mutating func next(
        _ octets: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
        if octets.isEmpty { return isEnd ? .ended : .needsMore }
        while let end = ends.last, offset >= end { ends.removeLast() }
        if restByteCount > 0 { return rest(octets, offset, isEnd) }
        if hasFrames, ends.isEmpty { return frame(octets, offset, isEnd) }
        let limit = ends.last.map { min(octets.count, $0 - offset) } ?? octets.count
        let message = octets.extracting(0..<limit)
        // A field of a message that is whole in sight is whole, too.
        let isWhole = isEnd || limit < octets.count
        guard let field = ProtobufField(message) else {
            if !isWhole, octets.count < ProtobufScanner.problemByteCountMax { return .needsMore }
            return problem(limit, offset)
        }
        return self.field(field, message, offset, isWhole: isWhole)
    }

    /// What is no field is followed by none: the rest of its message is octets.
    private mutating func problem(_ limit: Int, _ offset: Int) -> ScanResult<Line> {
        let taken = min(limit, ProtobufScanner.problemByteCountMax)
        let line = Line(range: offset..<offset + taken, depth: ends.count, kind: .problem)
        restByteCount = (ends.last ?? .max) - offset - taken
        restIsText = false
        return .line(line, byteCount: taken)
    }

    private mutating func field(
        _ field: ProtobufField, _ octets: Span<UInt8>, _ offset: Int, isWhole: Bool
    ) -> ScanResult<Line> {
        var field = field
        let available = octets.count - field.headByteCount
        let looked = min(field.payloadByteCount, ProtobufField.lookByteCountMax)
        if available < looked, !isWhole { return .needsMore }
        let payload = octets.extracting(
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
        _ octets: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        let wanted = min(restByteCount, ProtobufScanner.valueByteCountMax)
        if octets.count < wanted, !isEnd { return .needsMore }
        let taken = min(wanted, octets.count)
        restByteCount -= taken
        return .line(
            Line(
                range: offset..<offset + taken, depth: ends.count,
                kind: .continuation(isText: restIsText)), byteCount: taken)
    }

    /// gRPC: a flag, the length in four octets, the message.
    private mutating func frame(
        _ octets: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        guard octets.count >= 5 else {
            guard isEnd else { return .needsMore }
            return .line(
                Line(range: offset..<offset + octets.count, depth: 0, kind: .problem),
                byteCount: octets.count)
        }
        var count = 0
        for index in 1...4 { count = count << 8 | Int(octets[index]) }
        let isCompressed = octets[0] & 1 == 1
        if isCompressed {
            restByteCount = count
            restIsText = false
        } else if count > 0 {
            ends = [offset + 5 + count]
        }
        return .line(
            Line(
                range: offset..<offset + 5, depth: 0,
                kind: .frame(byteCount: count, isCompressed: isCompressed)), byteCount: 5)
    }
}
