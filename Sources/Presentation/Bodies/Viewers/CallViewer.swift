internal import ProxydHTTPWire
internal import ProxydParameterCoding
internal import Synchronization

/// Shows the messages of a gRPC, gRPC-Web or Connect body: protocol buffers without their schema,
/// JSON as text, and the trailers at the end.
struct CallViewer: ScanningViewer {
    static let name = "messages"

    var index: LineIndex<CallScanner>
    private let base64: Base64Body?

    static func fitness(for facts: BodyFacts) -> Int { facts.messageFraming == nil ? 0 : 90 }

    init(_ facts: BodyFacts, _ source: any BodySource) {
        let framing = facts.messageFraming ?? .grpc
        base64 = framing == .grpcWebText ? Base64Body(source) : nil
        let isJSON = facts.mediaType?.essence.hasSuffix("+json") == true
        index = LineIndex(CallScanner(framing, isJSON: isJSON), base64 ?? source)
    }

    var remark: String? {
        base64?.isInvalid == true ? "the rest of the body is not valid base64" : nil
    }

    // MARK: Offsets

    /// Base64 has four characters for three bytes.
    var indexedByteCount: Int {
        base64 == nil ? index.indexedByteCount : index.indexedByteCount / 3 * 4
    }

    func offset(ofLine line: Int) -> Int? {
        let offset = index.offset(of: line)
        return base64 == nil ? offset : offset.map { $0 / 3 * 4 }
    }

    func line(atOffset offset: Int) -> Int? {
        index.line(at: base64 == nil ? offset : offset / 4 * 3)
    }

    // MARK: Lines

    func render(_ line: CallScanner.Line, _ bytes: [UInt8]) -> StyledText {
        switch line {
        case .message(let prefix, let isTrailers, _):
            var rendered = StyledText(isTrailers ? "trailers" : "message", .heading)
            let compressed = prefix.isCompressed ? ", compressed" : ""
            rendered.append("  \(Quantity.bytes(Int64(prefix.length)))\(compressed)", .dim)
            return rendered
        case .protobuf(let line): return ProtobufViewer.rendered(line, bytes).indented(by: 2)
        case .json(let line): return JSONTextViewer.rendered(line, bytes).indented(by: 2)
        case .text: return field(bytes).indented(by: 2)
        case .bytes(_, let isCut):
            var rendered = StyledText()
            if isCut { rendered.append("no message: ", .bad) }
            rendered.append(HexLines.text(bytes[...]), isCut ? .dim : .string)
            return isCut ? rendered : rendered.indented(by: 2)
        }
    }

    private func field(_ bytes: [UInt8]) -> StyledText {
        var rendered = StyledText()
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        rendered.append(bytes[..<colon], .key)
        rendered.appendTabbed(bytes[colon...], .string)
        return rendered
    }
}

/// Finds the lines of a gRPC, gRPC-Web or Connect body: each message's size, then its content.
struct CallScanner: LineScanner {
    enum Line: ScannedLine {
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
    private var end = 0
    private var content = Content.bytes

    /// - Parameter isJSON: Whether messages are JSON instead of protocol buffers.
    init(_ framing: MessageFraming, isJSON: Bool) {
        self.framing = framing
        self.isJSON = isJSON
    }

    mutating func next(_ bytes: Span<UInt8>, at offset: Int, isEnd: Bool) -> ScanResult<Line> {
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
            return .line(.bytes(offset..<offset + bytes.count, isCut: true), byteCount: bytes.count)
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

/// A body in the Base64 of grpc-web-text, decoded as far as it is available.
final class Base64Body: BodySource {
    private static let pieceByteCount = 64 << 10

    private struct State {
        var stream = Base64Stream()
        var decoded = ByteStore()
        var takenByteCount = 0
    }

    private let body: any BodySource
    private let state = Mutex(State())

    init(_ body: any BodySource) { self.body = body }

    /// Whether the rest of the body is not Base64, and therefore missing.
    var isInvalid: Bool { state.withLock { $0.stream.isInvalid } }

    var extent: BodyExtent {
        var extent = body.extent
        extent.byteCount = state.withLock { state in
            while state.takenByteCount < extent.byteCount, !state.stream.isInvalid {
                let piece = body.read(
                    from: state.takenByteCount, byteCount: Base64Body.pieceByteCount)
                if piece.isEmpty { break }
                state.takenByteCount += piece.count
                var bytes: [UInt8] = []
                state.stream.decode(piece.span, into: &bytes)
                state.decoded.append(bytes)
            }
            return state.decoded.byteCount
        }
        return extent
    }

    func read(from offset: Int, byteCount: Int) -> [UInt8] {
        // Files are read outside the lock.
        state.withLock { $0.decoded.contents }.read(from: offset, byteCount: byteCount)
    }
}
