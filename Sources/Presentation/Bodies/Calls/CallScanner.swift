internal import ProxydHTTPWire

/// Finds the lines of a gRPC, gRPC-Web or Connect body: for each message one with its size, then
/// those of its content.
struct CallScanner: LineScanner {
    enum Line: ScannedLine {
        /// The prefix of a message.
        case message(MessagePrefix, isTrailers: Bool, range: Range<Int>)
        case protobuf(ProtobufScanner.Line)
        case json(JSONLine)
        case text(TextScanner.Line)
        /// A compressed message, or a prefix that is cut.
        case bytes(Range<Int>, isCut: Bool)

        var range: Range<Int> {
            switch self {
            case .message(_, _, let range), .bytes(let range, _): range
            case .protobuf(let line): line.range
            case .json(let line): line.range
            case .text(let line): line.range
            }
        }
    }

    private enum Content: Sendable {
        case protobuf(ProtobufScanner)
        case json(JSONScanner)
        case text(TextScanner)
        case bytes
    }

    private let framing: MessageFraming
    private let isJSON: Bool
    /// The offset at which the current message ends.
    private var end = 0
    private var content = Content.bytes

    /// - Parameter isJSON: Whether messages are JSON instead of protocol buffers.
    init(_ framing: MessageFraming, isJSON: Bool) {
        self.framing = framing
        self.isJSON = isJSON
    }

    mutating func next(
        _ bytes: Span<UInt8>, at offset: Int, isEnd: Bool
    ) -> ScanResult<Line> {
        if bytes.isEmpty { return isEnd ? .ended : .needsMore }
        guard offset < end else { return prefix(bytes, offset, isEnd) }
        let message = bytes.extracting(first: end - offset)
        let isWhole = isEnd || message.count == end - offset
        switch content {
        case .protobuf(var fields):
            defer { content = .protobuf(fields) }
            return fields.next(message, at: offset, isEnd: isWhole).map(Line.protobuf)
        case .json(var json):
            defer { content = .json(json) }
            return json.next(message, at: offset, isEnd: isWhole).map(Line.json)
        case .text(var text):
            defer { content = .text(text) }
            return text.next(message, at: offset, isEnd: isWhole).map(Line.text)
        case .bytes:
            let count = min(message.count, ProtobufScanner.valueByteCountMax)
            return .line(.bytes(offset..<offset + count, isCut: false), byteCount: count)
        }
    }

    private mutating func prefix(
        _ bytes: Span<UInt8>, _ offset: Int, _ isEnd: Bool
    ) -> ScanResult<Line> {
        var scanner = PrefixedMessageScanner()
        var taken = 0
        guard case .started(let prefix)? = scanner.next(in: bytes, from: &taken) else {
            guard isEnd else { return .needsMore }
            return .line(
                .bytes(offset..<offset + bytes.count, isCut: true), byteCount: bytes.count)
        }
        end = offset + taken + Int(prefix.length)
        let isTrailers = prefix.isTrailers(in: framing)
        content = content(of: prefix, isTrailers: isTrailers)
        let line = Line.message(prefix, isTrailers: isTrailers, range: offset..<offset + taken)
        return .line(line, byteCount: taken)
    }

    private func content(of prefix: MessagePrefix, isTrailers: Bool) -> Content {
        if prefix.isCompressed { return .bytes }
        // Connect ends a stream with JSON, gRPC-Web with field lines.
        if isTrailers, framing != .connect { return .text(TextScanner(eventStream: [])) }
        return isTrailers || isJSON
            ? .json(JSONScanner(keepsClosers: true)) : .protobuf(ProtobufScanner())
    }
}

extension ScanResult {
    fileprivate func map<Other>(_ change: (Line) -> Other) -> ScanResult<Other> {
        switch self {
        case .line(let line, let byteCount): .line(change(line), byteCount: byteCount)
        case .passed(let byteCount): .passed(byteCount: byteCount)
        case .needsMore: .needsMore
        case .ended: .ended
        }
    }
}
