/// Finds the values of a MessagePack document, one per line; values in arrays and maps are
/// indented.
struct MessagePackScanner: LineScanner {
    struct Line: ScannedLine {
        enum Role: Sendable, Hashable {
            /// A value with its index in an array.
            case element(Int)
            case key
            /// The value for the key on the previous line.
            case memberValue
            case top
            /// Bytes of a string or binary that did not fit on the previous line.
            case continuation(isText: Bool)
        }

        let range: Range<Int>
        let depth: Int
        let role: Role
    }

    private static let depthMax = 256
    /// The maximum number of bytes of a value on one line; the rest continues on the next lines.
    static let valueByteCountMax = 2_048

    private struct Frame: Sendable {
        let isMap: Bool
        /// The number of values still to come: two for each member of a map.
        var remainingCount: Int
        var position = 0
    }

    private var frames: [Frame] = []
    /// The number of bytes of a long value still to come.
    private var restByteCount = 0
    private var restIsText = false

    mutating func next(
        _ bytes: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
        if bytes.isEmpty { return isEnd ? .ended : .needsMore }
        if restByteCount > 0 { return rest(bytes, offset, isEnd) }
        guard let head = MessagePackHead(bytes) else {
            if !isEnd, bytes.count < 9 { return .needsMore }
            let line = Line(range: offset..<offset + bytes.count, depth: frames.count, role: .top)
            return .line(line, byteCount: bytes.count)
        }
        let shown = min(head.payloadByteCount, MessagePackScanner.valueByteCountMax)
        let needed = head.byteCount + shown
        if bytes.count < needed, !isEnd { return .needsMore }
        let taken = min(needed, bytes.count)
        let line = Line(range: offset..<offset + taken, depth: frames.count, role: takeRole())
        restByteCount = head.payloadByteCount - shown
        restIsText = head.kind == .string
        push(head)
        return .line(line, byteCount: taken)
    }

    private mutating func rest(
        _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        let wanted = min(restByteCount, MessagePackScanner.valueByteCountMax)
        if bytes.count < wanted, !isEnd { return .needsMore }
        let taken = min(wanted, bytes.count)
        restByteCount -= taken
        return .line(
            Line(
                range: offset..<offset + taken, depth: frames.count,
                role: .continuation(isText: restIsText)), byteCount: taken)
    }

    /// The role of the next value in its container.
    private mutating func takeRole() -> Line.Role {
        guard var frame = frames.last else { return .top }
        let role: Line.Role =
            !frame.isMap
            ? .element(frame.position)
            : frame.position % 2 == 0 ? .key : .memberValue
        frame.position &+= 1
        frame.remainingCount -= 1
        frames[frames.count - 1] = frame
        return role
    }

    /// Opens a container, and closes containers that have no more values.
    private mutating func push(_ head: MessagePackHead) {
        switch head.kind {
        case .array(let count) where count > 0 && frames.count < MessagePackScanner.depthMax:
            frames.append(Frame(isMap: false, remainingCount: count))
        case .map(let count) where count > 0 && frames.count < MessagePackScanner.depthMax:
            frames.append(Frame(isMap: true, remainingCount: count * 2))
        default: break
        }
        while let last = frames.last, last.remainingCount <= 0 { frames.removeLast() }
    }
}
