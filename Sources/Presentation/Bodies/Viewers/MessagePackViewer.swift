internal import ProxydParameterCoding

/// Shows MessagePack as indented text.
struct MessagePackViewer: ScanningViewer {
    static let name = "msgpack"

    var index: LineIndex<MessagePackScanner>

    static func fitness(for facts: BodyFacts) -> Int {
        switch facts.kind {
        case .messagePack: 90
        case .binary: 12
        default: 0
        }
    }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        index = LineIndex(MessagePackScanner(), source)
    }

    func render(_ line: MessagePackScanner.Line, _ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        switch line.role {
        case .element(let number):
            rendered.appendLevel(line.depth)
            rendered.append("\(number): ", .dim)
        case .key: rendered.appendLevel(line.depth)
        case .memberValue: rendered.appendLevel(line.depth + 1)
        case .top: rendered.appendLevel(line.depth)
        case .continuation(let isText):
            rendered.appendLevel(line.depth + 1)
            rendered.appendBytes(bytes[...], isText: isText)
            return rendered
        }
        append(bytes, isKey: line.role == .key, to: &rendered)
        return rendered
    }

    private func append(_ bytes: [UInt8], isKey: Bool, to line: inout StyledText) {
        guard let head = MessagePackHead(bytes.span) else {
            line.append("cut: ", .bad)
            line.append(HexLines.text(bytes[...]), .dim)
            return
        }
        let payload = bytes.dropFirst(head.byteCount)
        switch head.kind {
        case .null: line.append("null", .keyword)
        case .bool(let value): line.append("\(value)", .keyword)
        case .integer: line.append(integer(bytes[0], payload), .number)
        case .unsigned: line.append("\(unsigned(payload))", .number)
        case .float: line.append(float(payload), .number)
        case .string:
            if isKey { line.append(payload, .key) } else { line.append(payload, .string) }
        case .binary:
            line.append("\(Quantity.bytes(Int64(head.payloadByteCount)))  ", .dim)
            line.append(HexLines.text(payload), .string)
        case .array(let count): line.append("[ \(count) ]", .punctuation)
        case .map(let count): line.append("{ \(count) }", .punctuation)
        case .extended(let type):
            line.append("extension \(type)  ", .dim)
            line.append(HexLines.text(payload), .string)
        case .invalid: line.append("no value starts with 0xc1", .bad)
        }
        if payload.count < min(head.payloadByteCount, MessagePackScanner.valueByteCountMax) {
            line.append(" cut", .bad)
        }
    }

    private func unsigned(_ payload: ArraySlice<UInt8>) -> UInt64 {
        payload.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func integer(_ first: UInt8, _ payload: ArraySlice<UInt8>) -> String {
        if payload.isEmpty { return "\(Int8(bitPattern: first))" }
        let shift = UInt64(64 - 8 * min(8, payload.count))
        return "\(Int64(bitPattern: unsigned(payload) << shift) >> Int64(shift))"
    }

    private func float(_ payload: ArraySlice<UInt8>) -> String {
        let bits = unsigned(payload)
        return payload.count == 4
            ? "\(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))"
            : "\(Double(bitPattern: bits))"
    }
}

/// Finds the values of a MessagePack document, one per line, indented in arrays and maps.
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

    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line> {
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

    private mutating func takeRole() -> Line.Role {
        guard var frame = frames.last else { return .top }
        let role: Line.Role =
            !frame.isMap ? .element(frame.position) : frame.position % 2 == 0 ? .key : .memberValue
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

/// The first bytes of a MessagePack value: its type and its length.
struct MessagePackHead {
    enum Kind: Hashable {
        case null, bool(Bool), integer, unsigned, float
        case string, binary
        case array(Int), map(Int)
        case extended(Int8)
        case invalid
    }

    let kind: Kind
    /// The number of bytes before the payload.
    let byteCount: Int
    /// The payload length in bytes for numbers, strings and the like; 0 for arrays and maps.
    let payloadByteCount: Int

    /// Parses the head at the start; returns nil if it is incomplete.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count > 0 else { return nil }
        let first = bytes[0]
        func number(_ count: Int) -> Int? {
            guard bytes.count > count else { return nil }
            var value = 0
            for index in 1...count { value = value << 8 | Int(bytes[index]) }
            return value
        }
        switch first {
        case 0x00...0x7F, 0xE0...0xFF: self.init(.integer, 1, 0)
        case 0x80...0x8F: self.init(.map(Int(first & 15)), 1, 0)
        case 0x90...0x9F: self.init(.array(Int(first & 15)), 1, 0)
        case 0xA0...0xBF: self.init(.string, 1, Int(first & 31))
        case 0xC0: self.init(.null, 1, 0)
        case 0xC2, 0xC3: self.init(.bool(first == 0xC3), 1, 0)
        case 0xCA, 0xCB: self.init(.float, 1, first == 0xCA ? 4 : 8)
        case 0xCC...0xCF: self.init(.unsigned, 1, 1 << Int(first - 0xCC))
        case 0xD0...0xD3: self.init(.integer, 1, 1 << Int(first - 0xD0))
        case 0xC4...0xC6, 0xD9...0xDB:
            let size = 1 << Int(first < 0xD0 ? first - 0xC4 : first - 0xD9)
            guard let count = number(size) else { return nil }
            self.init(first < 0xD0 ? .binary : .string, 1 + size, count)
        case 0xDC, 0xDD, 0xDE, 0xDF:
            let size = first & 1 == 0 ? 2 : 4
            guard let count = number(size) else { return nil }
            self.init(first < 0xDE ? .array(count) : .map(count), 1 + size, 0)
        case 0xC7...0xC9:
            let size = 1 << Int(first - 0xC7)
            guard let count = number(size), bytes.count > 1 + size else { return nil }
            self.init(.extended(Int8(bitPattern: bytes[1 + size])), 2 + size, count)
        case 0xD4...0xD8:
            guard bytes.count > 1 else { return nil }
            self.init(.extended(Int8(bitPattern: bytes[1])), 2, 1 << Int(first - 0xD4))
        default: self.init(.invalid, 1, 0)
        }
    }

    private init(_ kind: Kind, _ byteCount: Int, _ payloadByteCount: Int) {
        self.kind = kind
        self.byteCount = byteCount
        self.payloadByteCount = payloadByteCount
    }
}
