/// Finds the values of MessagePack, one a line; arrays and maps indent what is in them.
struct MessagePackScanner: LineScanner {
    struct Line: ScannedLine {
        enum Role: Sendable, Hashable {
            /// A value with its place in an array.
            case element(Int)
            case key
            /// The value of the key on the line before.
            case memberValue
            case top
            /// Octets of a string or binary that did not fit into the line before.
            case continuation(isText: Bool)
        }

        let range: Range<Int>
        let depth: Int
        let role: Role
    }

    private static let depthMax = 256
    /// Octets of a value shown on one line; the rest goes on in the next ones.
    static let valueByteCountMax = 2_048

    private struct Frame: Sendable {
        let isMap: Bool
        /// Values that are still to come: two for each member of a map.
        var remainingCount: Int
        var position = 0
    }

    private var frames: [Frame] = []
    /// Octets of a long value that are still to come.
    private var restByteCount = 0
    private var restIsText = false

    mutating func next(
        _ octets: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
        if octets.isEmpty { return isEnd ? .ended : .needsMore }
        if restByteCount > 0 { return rest(octets, offset, isEnd) }
        guard let head = MessagePackHead(octets) else {
            if !isEnd, octets.count < 9 { return .needsMore }
            let line = Line(range: offset..<offset + octets.count, depth: frames.count, role: .top)
            return .line(line, byteCount: octets.count)
        }
        let shown = min(head.payloadByteCount, MessagePackScanner.valueByteCountMax)
        let needed = head.byteCount + shown
        if octets.count < needed, !isEnd { return .needsMore }
        let taken = min(needed, octets.count)
        let line = Line(range: offset..<offset + taken, depth: frames.count, role: takeRole())
        restByteCount = head.payloadByteCount - shown
        restIsText = head.kind == .string
        push(head)
        return .line(line, byteCount: taken)
    }

    private mutating func rest(
        _ octets: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        let wanted = min(restByteCount, MessagePackScanner.valueByteCountMax)
        if octets.count < wanted, !isEnd { return .needsMore }
        let taken = min(wanted, octets.count)
        restByteCount -= taken
        return .line(
            Line(
                range: offset..<offset + taken, depth: frames.count,
                role: .continuation(isText: restIsText)), byteCount: taken)
    }

    /// What the next value is to what it lies in.
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

    /// Opens what has values in it, and closes what has no more to come.
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
