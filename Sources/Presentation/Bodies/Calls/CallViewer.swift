internal import ProxydHTTPWire
internal import ProxydParameterCoding

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
